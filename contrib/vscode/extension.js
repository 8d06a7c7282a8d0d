// Starts `sectile lsp`, shows evidence as text and the report of a file in a view.
"use strict";

const vscode = require("vscode");
const { execFile } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const { LanguageClient } = require("vscode-languageclient/node");

const SCHEME = "sectile-evidence";

let client;

// Proofs and runs, by their addresses: documents that cannot be edited and need not be saved.
const evidence = new Map();

async function showEvidence(text) {
  const title = text.split("\n", 1)[0].replaceAll("/", " ");
  const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${evidence.size}/${title}` });
  evidence.set(uri.path, text);
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

function setting(name) {
  return vscode.workspace.getConfiguration("sectile").get(name);
}

async function start() {
  const program = { command: setting("path"), args: ["lsp"] };
  client = new LanguageClient(
    "sectile",
    "Sectile",
    { run: program, debug: program },
    {
      documentSelector: ["sct", "imp"].map((language) => ({ scheme: "file", language })),
      initializationOptions: { checkOnSave: setting("checkOnSave"), timeout: setting("timeout") },
      middleware: {
        // The server answers with the text of a proof or a run; somebody must show it.
        executeCommand: async (command, args, next) => {
          const answer = await next(command, args);
          if (command === "sectile.evidence" && typeof answer === "string") {
            await showEvidence(answer);
          }
          return answer;
        },
      },
    },
  );
  await client.start();
}

// Checks the file as it was saved and shows the HTML report.
async function report() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  await editor.document.save();
  const file = editor.document.uri.fsPath;
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sectile-"));
  const page = path.join(folder, "report.html");
  const args = ["check", file, "--quiet", "--report", page, "--timeout", setting("timeout")];
  const progress = { location: vscode.ProgressLocation.Notification, title: "Sectile", cancellable: true };
  const done = await vscode.window.withProgress(
    progress,
    (_, token) =>
      new Promise((resolve) => {
        const child = execFile(setting("path"), args, (error, out, err) => resolve({ error, out, err }));
        token.onCancellationRequested(() => child.kill("SIGTERM"));
      }),
  );
  if (!fs.existsSync(page)) {
    vscode.window.showErrorMessage(done.err || String(done.error));
    return;
  }
  const title = `Report: ${path.basename(file)}`;
  const view = vscode.window.createWebviewPanel("sectile.report", title, vscode.ViewColumn.Beside, {
    enableScripts: true,
    retainContextWhenHidden: true,
  });
  view.webview.html = fs.readFileSync(page, "utf8");
  fs.rmSync(folder, { recursive: true, force: true });
}

async function activate(context) {
  context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => evidence.get(uri.path) ?? "",
    }),
    vscode.commands.registerCommand("sectile.report", report),
    vscode.commands.registerCommand("sectile.restart", async () => {
      await client?.stop();
      await start();
    }),
  );
  try {
    await start();
  } catch (error) {
    vscode.window.showErrorMessage(`sectile cannot be started: ${error}. Set sectile.path to the program.`);
  }
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
