"""An editor's session with tripy-lsp-server: opens a program and prints the
diagnostics, a hover, a definition and completions, one line or block each."""
import json
import subprocess
import sys

TEXT = """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = trace.softmax %x dim = 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = trace.exp %s : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}
"""
WRONG = TEXT.replace("dim = 1", "dim = 7")
URI = "file:///program.mlir"

server = subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)


def send(method, params, identity=None):
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    if identity is not None:
        message["id"] = identity
    body = json.dumps(message).encode()
    server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    server.stdin.flush()


def receive():
    size = 0
    while True:
        line = server.stdout.readline().strip()
        if not line:
            break
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
    return json.loads(server.stdout.read(size))


def ask(identity, method, params):
    send(method, params, identity)
    while True:
        answer = receive()
        if answer.get("id") == identity:
            return answer.get("result")


def diagnostics():
    while True:
        message = receive()
        if message.get("method") == "textDocument/publishDiagnostics":
            return [d["message"] for d in message["params"]["diagnostics"]]


def at(line, character):
    return {"textDocument": {"uri": URI}, "position": {"line": line, "character": character}}


capabilities = ask(1, "initialize", {"processId": None, "capabilities": {}, "rootUri": None, "trace": "off"})
print("server:", capabilities["serverInfo"]["name"])
send("initialized", {})
send("textDocument/didOpen", {"textDocument": {"uri": URI, "languageId": "mlir", "version": 1, "text": WRONG}})
print("wrong program:", diagnostics())
send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 2}, "contentChanges": [{"text": TEXT}]})
print("right program:", diagnostics())
print("hover:", ask(2, "textDocument/hover", at(1, 12))["contents"]["value"])
print("end of hover")
print("value:", ask(3, "textDocument/hover", at(2, 18))["contents"]["value"].split("\n")[0])
print("definition:", ask(4, "textDocument/definition", at(2, 18))[0]["range"]["start"])
partial = TEXT.replace("trace.exp %s", "trace.")
send("textDocument/didChange", {"textDocument": {"uri": URI, "version": 3}, "contentChanges": [{"text": partial}]})
diagnostics()
items = ask(5, "textDocument/completion", at(2, 13))["items"]
print("completions:", " ".join(sorted(item["label"] for item in items)))
ask(6, "shutdown", None)
send("exit", None)
print("exit code:", server.wait(timeout=20))
