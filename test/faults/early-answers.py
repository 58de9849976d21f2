"""Posts a body with urllib, which reads no answer before it has sent the whole body. Prints one line per answer.

Arguments: URL, bytes of the body, number of requests, `length` or `chunks`, headers as NAME:VALUE."""
import json
import ssl
import sys
import urllib.error
import urllib.request

url, size, count, framing, *headers = sys.argv[1:]
body = b'{"name":"' + b"x" * int(size) + b'"}'
context = ssl._create_unverified_context()
for _ in range(int(count)):
    data = body if framing == "length" else iter([body[at : at + 65536] for at in range(0, len(body), 65536)])
    request = urllib.request.Request(url, data=data, headers=dict(line.split(":", 1) for line in headers))
    try:
        with urllib.request.urlopen(request, timeout=60, context=context) as answer:
            print(answer.status, json.load(answer) and "")
    except urllib.error.HTTPError as refusal:
        print(refusal.code, json.load(refusal)["error"]["metadata"]["reason"])
    except Exception as error:
        print("failed", repr(error))
