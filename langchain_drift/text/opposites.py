"""Words that exclude one another: enable or disable, on or off, staging or production."""

from langchain_drift.text.stems import stem

Side = tuple[str, str]
"""The name of an opposition, such as "enable/disable", and one of its sides, such as "enable"."""

# One opposition a line: its sides apart by "/", each with the words that name it. A starred word
# is ambiguous and takes its side only right before a noun of `_ENVIRONMENT_NOUNS`: "test server".
# A word with "!" takes it only as an order, at the beginning of a text: "keep the file", not "it
# keeps running".
_OPPOSITIONS = """
enable / disable
activate / deactivate
start launch / stop halt
resume / pause
begin / end
open / close shut
grant / revoke
allow permit / deny forbid prohibit block
accept / reject decline refuse
approve / reject
include / exclude
add / remove delete
insert / delete
create / delete destroy drop
keep! retain preserve / delete remove drop discard erase wipe purge clear! empty!
attach / detach
connect / disconnect
mount / unmount
install / uninstall
lock / unlock
block / unblock
ban / unban
bind / unbind
link / unlink
pin / unpin
tag / untag
check! / uncheck
select / deselect unselect
assign / unassign
register / unregister deregister
publish / unpublish
archive / unarchive
freeze / unfreeze thaw
cordon / uncordon
allowlist whitelist / denylist blacklist
trust / distrust
acquire hold! / release
allocate / deallocate
confirm / cancel
backup / restore
merge / split
join / leave!
grow / shrink
tighten / loosen relax
mute / unmute
subscribe / unsubscribe
follow / unfollow
show / hide
expand / collapse
increase raise / decrease reduce lower
increment / decrement
maximum max maximize / minimum min minimize
upgrade / downgrade
promote / demote
upload / download
import / export
push / pull
commit / rollback
encrypt / decrypt
encode / decode
compress zip / decompress unzip
serialize / deserialize
load / unload
read / write wrote written
read / drop
input / output
buy bought / sell sold
send sent / receive
deposit / withdraw withdrawal
borrow / lend
credit / debit
win won / lose lost
arrive arrival / depart departure
inbound incoming / outbound outgoing
login / logout
public / private
internal / external
local / remote
manual manually / automatic automatically
synchronous sync / asynchronous async
before / after
with / without
forward / backward
online / offline
ingress / egress
above / below
inside / outside
first / last
earliest / latest
oldest / newest
ascending asc / descending desc
horizontal horizontally / vertical vertically
true / false
valid / invalid
positive / negative
succeed success successful / fail failure
pass / fail
production prod live* / staging stage* / development dev / sandbox / qa / test* testing* / local*
"""
# Particles take a side only soon after one of the verbs behind the colon.
_PARTICLES = """
on / off : turn switch power toggle flip
up / down : turn scale move scroll ramp speed bump volume go step
in / out : sign log check opt zoom clock
"""
_MARKS = "*!"
_ENVIRONMENT_NOUNS = "environment env server cluster database db system instance"


def _read_line(line: str) -> list[tuple[str, Side]]:
    sides = [side.split() for side in line.split("/")]
    name = "/".join(side[0].rstrip(_MARKS) for side in sides)
    return [(word, (name, side[0].rstrip(_MARKS))) for side in sides for word in side]


def _read_oppositions(mark: str) -> dict[str, tuple[Side, ...]]:
    """Return the stems of the words with a mark, or of those without any, to their sides."""
    found: dict[str, tuple[Side, ...]] = {}
    for line in _OPPOSITIONS.strip().splitlines():
        for word, side in _read_line(line):
            if word[-1] == mark or (not mark and word[-1] not in _MARKS):
                key = stem(word.rstrip(_MARKS))
                found[key] = (*found.get(key, ()), side)
    return found


def _read_particles() -> dict[str, tuple[Side, frozenset[str]]]:
    found = {}
    for line in _PARTICLES.strip().splitlines():
        sides, _, verbs = line.partition(":")
        for word, side in _read_line(sides):
            found[word] = (side, frozenset(map(stem, verbs.split())))
    return found


ALONE = _read_oppositions("")
"""Stem to the sides it takes wherever it stands."""

ORDERS = _read_oppositions("!")
"""Stem to the sides it takes as the first word of a text."""

ENVIRONMENTS = _read_oppositions("*")
"""Stem to the sides it takes right before one of `ENVIRONMENT_NOUNS`."""

ENVIRONMENT_NOUNS = frozenset(map(stem, _ENVIRONMENT_NOUNS.split()))
"""Stems of the nouns that a name of an environment stands before."""

PARTICLES = _read_particles()
"""Particle to the side it takes soon after one of some stems: "turn it on", not "on Monday"."""
