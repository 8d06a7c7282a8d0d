"""Drives `sectile lsp` by the client of pygls, as an editor would."""

import asyncio
import sys

from lsprotocol import types
from pygls.lsp.client import LanguageClient

TEXT = """param n = 2
process P[i : 0..n-1] {
  var pc : {idle, critical} = idle
  enter: pc = idle and (forall j in 0..n-1: P[j].pc = idle) --> pc := critical
  leave: pc = critical --> pc := idle
}
invariant mutex: forall i in 0..n-1, j in 0..n-1: i < j => not (P[i].pc = critical and P[j].pc = critical)
"""
URI = "file:///models/client.sct"
DOCUMENT = types.TextDocumentIdentifier(uri=URI)


async def main(server: str) -> None:
    client = LanguageClient("editor", "1")
    told: asyncio.Queue = asyncio.Queue()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def _(params: types.PublishDiagnosticsParams) -> None:
        told.put_nowait(params)

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def _(*_args) -> None:
        return None

    async def messages(version: int):
        while True:
            params = await asyncio.wait_for(told.get(), 30)
            if params.version == version:
                return params.diagnostics

    await client.start_io(server, "lsp")
    refresh = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
    workspace = types.WorkspaceClientCapabilities(code_lens=refresh)
    answer = await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities(workspace=workspace))
    )
    assert answer.capabilities.rename_provider.prepare_provider
    client.initialized(types.InitializedParams())

    item = types.TextDocumentItem(uri=URI, language_id="sct", version=0, text=TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    assert len(await messages(0)) == 0

    def change(version: int, text: str) -> None:
        client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                text_document=types.VersionedTextDocumentIdentifier(uri=URI, version=version),
                content_changes=[types.TextDocumentContentChangeWholeDocument(text=text)],
            )
        )

    # An error appears where it is, with the help of the command line, and goes.
    change(1, TEXT.replace("pc := critical", "pc := cricital"))
    (error,) = await messages(1)
    assert error.severity == types.DiagnosticSeverity.Error
    assert error.range.start == types.Position(line=3, character=70), error
    assert "critical" in error.message, error
    change(2, TEXT)
    assert len(await messages(2)) == 0

    # The verdict appears after the text is saved.
    client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=DOCUMENT))
    for _ in range(300):
        lenses = await client.text_document_code_lens_async(types.CodeLensParams(text_document=DOCUMENT))
        titles = [lens.command.title for lens in lenses]
        if "show proof" in titles:
            break
        await asyncio.sleep(0.1)
    assert titles[0].startswith("mutex: holds in "), titles
    proof = await client.workspace_execute_command_async(
        types.ExecuteCommandParams(command="sectile.evidence", arguments=[URI, "mutex"])
    )
    assert proof.startswith("mutex: holds"), proof

    # A name is changed in the whole file.
    edit = await client.text_document_rename_async(
        types.RenameParams(
            text_document=DOCUMENT, position=types.Position(line=2, character=7), new_name="state"
        )
    )
    lines = TEXT.split("\n")
    edits = sorted(edit.changes[URI], key=lambda e: (e.range.start.line, e.range.start.character))
    for e in reversed(edits):
        line, start, end = e.range.start.line, e.range.start.character, e.range.end.character
        lines[line] = lines[line][:start] + e.new_text + lines[line][end:]
    renamed = "\n".join(lines)
    assert renamed == TEXT.replace("pc", "state"), renamed
    change(3, renamed)
    assert len(await messages(3)) == 0

    await client.shutdown_async(None)
    client.exit(None)
    await client.stop()
    print("the client is content")


asyncio.run(main(sys.argv[1]))
