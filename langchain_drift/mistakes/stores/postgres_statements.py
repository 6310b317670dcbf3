"""What a review asks Postgres, statement by statement; every one names its scope."""

from typing import Final

from langchain_drift.mistakes.stores.postgres_rows import COLUMNS

NEAR: Final = """
SELECT id FROM (
    SELECT id, embedding <=> %(vector)s::halfvec AS distance FROM langchain_drift_memories
    WHERE scope = %(scope)s AND embedding IS NOT NULL AND mistakes + successes > 0
    ORDER BY {order} LIMIT %(most)s
) near WHERE distance <= %(farthest)s
"""
APPROXIMATELY = "embedding <=> %(vector)s::halfvec"
EXACTLY = "(embedding <=> %(vector)s::halfvec) + 0"
ALIKE: Final = """
WITH rare AS (
    SELECT word FROM unnest(%(words)s::bigint[]) word ORDER BY (
        SELECT count(*) FROM (
            SELECT FROM langchain_drift_terms WHERE scope = %(scope)s AND term = word
            LIMIT %(counted)s
        ) counted
    ), word LIMIT %(rare)s
)
SELECT memories.id, memories.terms FROM (
    SELECT DISTINCT newest.memory FROM rare CROSS JOIN LATERAL (
        SELECT memory FROM langchain_drift_terms WHERE scope = %(scope)s AND term = rare.word
        ORDER BY memory DESC LIMIT %(most)s
    ) newest
) candidates JOIN langchain_drift_memories memories ON memories.id = candidates.memory
"""
CULPRITS: Final = """
SELECT digest, terms FROM langchain_drift_culprits
WHERE scope = %s AND term = ANY(%s::bigint[]) AND terms <@ %s::text[] LIMIT %s
"""
BLAMING: Final = """
SELECT newest.memory FROM unnest(%s::bigint[]) blamed CROSS JOIN LATERAL (
    SELECT memory FROM langchain_drift_blames WHERE scope = %s AND digest = blamed
    ORDER BY place DESC LIMIT %s
) newest
"""
HOLDING: Final = """
WITH rarest AS (
    SELECT term FROM unnest(%(terms)s::bigint[]) term ORDER BY (
        SELECT count(*) FROM (
            SELECT FROM langchain_drift_terms known
            WHERE known.scope = %(scope)s AND known.term = term.term LIMIT %(counted)s
        ) counted
    ) LIMIT 1
)
SELECT memories.id FROM rarest CROSS JOIN LATERAL (
    SELECT memory FROM langchain_drift_terms known
    WHERE known.scope = %(scope)s AND known.term = rarest.term ORDER BY memory DESC LIMIT %(read)s
) newest JOIN langchain_drift_memories memories ON memories.id = newest.memory
WHERE successes > 0 AND memories.terms @> %(used)s::text[] AND (
    SELECT coalesce(bool_and(
        mention = ANY(memories.terms) OR substr(mention, 2) = ANY(memories.terms)
    ), true) FROM unnest(%(mentioned)s::text[]) mention
)
ORDER BY memories.id DESC LIMIT %(most)s
"""
WORKING: Final = """
SELECT count(*) FROM (
    SELECT FROM langchain_drift_events
    WHERE scope = %s AND tool = %s AND kind = 'success' AND tool <> '' AND NOT hidden LIMIT %s
) bounded
"""
FAILING: Final = """
SELECT DISTINCT memory FROM (
    SELECT memory FROM langchain_drift_events
    WHERE scope = %s AND tool = %s AND kind = 'mistake' AND tool <> '' AND NOT hidden
        AND culprits = '{}' ORDER BY place DESC LIMIT %s
) newest
"""
EVENTS: Final = f"""
SELECT {COLUMNS}, memories.mistakes, memories.successes
FROM langchain_drift_memories memories CROSS JOIN LATERAL (
    SELECT * FROM langchain_drift_events events
    WHERE events.scope = memories.scope AND events.memory = memories.id AND NOT events.hidden
    ORDER BY events.place DESC LIMIT %(most)s
) events WHERE memories.scope = %(scope)s AND memories.id = ANY(%(memories)s) ORDER BY events.place
"""  # noqa: S608 - our own columns
TOTAL: Final = """
SELECT reltuples::bigint FROM pg_class WHERE oid = 'langchain_drift_memories'::regclass
"""
BY_KEY: Final = "SELECT id FROM langchain_drift_memories WHERE scope = %s AND key = %s"
OF_EVENTS: Final = """
SELECT DISTINCT memory FROM langchain_drift_events
WHERE scope = %s AND event_id = ANY(%s) AND kind = 'success' AND NOT hidden
"""
# The walk ends by its depth, by its number of memories and, since a step that was taken is not
# taken again at the same depth, in a circle too.
FOLLOW: Final = """
WITH RECURSIVE walk AS (
    SELECT id, 0 AS depth FROM langchain_drift_memories WHERE scope = %(scope)s AND key = %(key)s
    UNION
    SELECT memories.id, walk.depth + 1 FROM walk CROSS JOIN LATERAL (
        SELECT DISTINCT outcome_key FROM (
            SELECT outcome_key FROM langchain_drift_events events
            WHERE events.scope = %(scope)s AND events.memory = walk.id AND kind = 'mistake'
                AND NOT hidden ORDER BY place DESC LIMIT %(newest)s
        ) newest WHERE outcome_key <> ''
    ) outcomes JOIN langchain_drift_memories memories
        ON memories.scope = %(scope)s AND memories.key = outcomes.outcome_key
    WHERE walk.depth < %(steps)s
)
SELECT DISTINCT id FROM (SELECT id FROM walk LIMIT %(most)s) bounded
"""
