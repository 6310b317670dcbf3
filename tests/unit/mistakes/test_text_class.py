import pytest

from langchain_drift.mistakes.text_class import is_code

PROSE = """
delete the temp directory
clear out /tmp before the run
retry the payment webhook with the same payload
delete user 1
enable TLS
upgrade @lib/test-native
restart nginx.service
convert the PDF to HTML and send it via SMTP
deploy to staging
email the customer a copy of invoice INV-2041
ask the API for the status of order 7 and wait
I think we should open README.md and read it first.
Can you please confirm that the `users` table exists?
Lösche den Ordner mit den Sicherungen
向客户发送发票
up
"""
CODE = """
rm -rf build
SELECT name FROM users
convert(id, 'int')
DESC singers
ls -l /workspace | grep '^-r'
git commit -m 'document host shutdown steps'
refund {"order_id": 7}
Search[Alien (film)]
open_file("a.py", line=3)
kubectl delete pod web-1 --force
x = foo + 1
{"name": "refund", "args": {}}
wget -q http://example.org/a.txt
curl -X POST https://api.example.org/v1/orders
df.groupby("a").mean()
"""


@pytest.mark.parametrize("text", PROSE.strip().splitlines())
def test_prose(text):
    """What a person would say is prose, also with a name or a path in it."""
    assert not is_code(text)


@pytest.mark.parametrize("text", CODE.strip().splitlines())
def test_code(text):
    """A command, a query, a call and data are code, whatever words they quote."""
    assert is_code(text)
