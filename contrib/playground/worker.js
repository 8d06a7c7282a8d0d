// Runs the command line of Sectile, compiled to WebAssembly, once: arguments and files in, output and files out.
//
// The program was built for WASI (preview 1), the system interface of WebAssembly. What it calls of that is here: arguments,
// clocks, random numbers, the standard streams, and files in one folder that lives in memory. Everything else says "not supported".
"use strict";

const [OK, BADF, INVAL, NOENT, NOSYS] = [0, 8, 28, 44, 52];
const [DIRECTORY, FILE] = [3, 4];
const ROOT = 3;

class Exit extends Error {
  constructor(code) {
    super(`exit ${code}`);
    this.code = code;
  }
}

// The functions of the system interface for one run.
function system(memory, args, files, write) {
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const view = () => new DataView(memory().buffer);
  const bytes = (at, length) => new Uint8Array(memory().buffer, at, length);
  const text = (at, length) => decoder.decode(bytes(at, length).slice());
  const name = (at, length) => text(at, length).replace(/^(\.?\/)+/, "");
  const open = new Map();
  let next = ROOT + 1;

  const strings = (list) => {
    const encoded = list.map((s) => encoder.encode(s + "\0"));
    return {
      sizes: (count, size) => {
        view().setUint32(count, encoded.length, true);
        view().setUint32(size, encoded.reduce((n, s) => n + s.length, 0), true);
        return OK;
      },
      get: (pointers, buffer) => {
        for (const s of encoded) {
          view().setUint32(pointers, buffer, true);
          bytes(buffer, s.length).set(s);
          pointers += 4;
          buffer += s.length;
        }
        return OK;
      },
    };
  };
  const [argv, environment] = [strings(args), strings([])];

  // The parts of memory that a list of vectors names.
  const vectors = (at, count) =>
    Array.from({ length: count }, (_, i) => bytes(view().getUint32(at + 8 * i, true), view().getUint32(at + 8 * i + 4, true)));

  const append = (file, part) => {
    const end = file.at + part.length;
    if (end > file.node.data.length) {
      const longer = new Uint8Array(Math.max(end, 2 * file.node.data.length));
      longer.set(file.node.data);
      file.node.data = longer;
    }
    file.node.data.set(part, file.at);
    file.at = end;
    file.node.length = Math.max(file.node.length, end);
  };

  const stat = (at, type, size) => {
    bytes(at, 64).fill(0);
    view().setUint8(at + 16, type);
    view().setBigUint64(at + 24, 1n, true);
    view().setBigUint64(at + 32, BigInt(size), true);
    return OK;
  };

  const known = {
    args_sizes_get: argv.sizes,
    args_get: argv.get,
    environ_sizes_get: environment.sizes,
    environ_get: environment.get,
    clock_time_get: (clock, _precision, at) => {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(at, BigInt(Math.floor(milliseconds * 1e6)), true);
      return OK;
    },
    clock_res_get: (_clock, at) => {
      view().setBigUint64(at, 1000n, true);
      return OK;
    },
    random_get: (at, length) => {
      for (let i = 0; i < length; i += 65536) {
        crypto.getRandomValues(bytes(at + i, Math.min(65536, length - i)));
      }
      return OK;
    },
    sched_yield: () => OK,
    proc_exit: (code) => {
      throw new Exit(code);
    },
    fd_write: (fd, at, count, written) => {
      let total = 0;
      for (const part of vectors(at, count)) {
        if (fd === 1 || fd === 2) {
          write(fd, part.slice());
        } else if (open.has(fd)) {
          append(open.get(fd), part);
        } else {
          return BADF;
        }
        total += part.length;
      }
      view().setUint32(written, total, true);
      return OK;
    },
    fd_read: (fd, at, count, read) => {
      const file = open.get(fd);
      if (!file && fd !== 0) return BADF;
      let total = 0;
      for (const part of vectors(at, count)) {
        if (!file) break;
        const piece = file.node.data.subarray(file.at, Math.min(file.node.length, file.at + part.length));
        part.set(piece);
        file.at += piece.length;
        total += piece.length;
      }
      view().setUint32(read, total, true);
      return OK;
    },
    fd_seek: (fd, offset, whence, at) => {
      const file = open.get(fd);
      if (!file) return BADF;
      const base = [0, file.at, file.node.length][whence];
      if (base === undefined) return INVAL;
      file.at = base + Number(offset);
      view().setBigUint64(at, BigInt(file.at), true);
      return OK;
    },
    fd_close: (fd) => (open.delete(fd) || fd <= ROOT ? OK : BADF),
    fd_fdstat_get: (fd, at) => {
      if (fd > ROOT && !open.has(fd)) return BADF;
      bytes(at, 24).fill(0);
      view().setUint8(at, fd === ROOT ? DIRECTORY : FILE);
      view().setBigUint64(at + 8, 0x1fffffffn, true);
      view().setBigUint64(at + 16, 0x1fffffffn, true);
      return OK;
    },
    fd_fdstat_set_flags: () => OK,
    fd_filestat_get: (fd, at) => {
      if (fd === ROOT) return stat(at, DIRECTORY, 0);
      const file = open.get(fd);
      return file || fd < ROOT ? stat(at, FILE, file ? file.node.length : 0) : BADF;
    },
    fd_prestat_get: (fd, at) => {
      if (fd !== ROOT) return BADF;
      view().setUint32(at, 0, true);
      view().setUint32(at + 4, 1, true);
      return OK;
    },
    fd_prestat_dir_name: (_fd, at) => {
      bytes(at, 1).set(encoder.encode("/"));
      return OK;
    },
    path_open: (_dir, _follow, at, length, flags, _rights, _inherited, _fdflags, opened) => {
      const [create, truncate] = [flags & 1, flags & 8];
      const path = name(at, length);
      if (!files.has(path) && !create) return NOENT;
      if (!files.has(path)) files.set(path, { data: new Uint8Array(0), length: 0 });
      const node = files.get(path);
      if (truncate) node.length = 0;
      open.set(next, { node, at: 0 });
      view().setUint32(opened, next++, true);
      return OK;
    },
    path_filestat_get: (_dir, _flags, at, length, out) => {
      const path = name(at, length);
      if (path === "" || path === ".") return stat(out, DIRECTORY, 0);
      return files.has(path) ? stat(out, FILE, files.get(path).length) : NOENT;
    },
    path_unlink_file: (_dir, at, length) => (files.delete(name(at, length)) ? OK : NOENT),
    poll_oneoff: () => NOSYS,
  };
  return new Proxy(known, { get: (all, wanted) => all[wanted] ?? (() => NOSYS) });
}

// Runs `sectile ARGS`; what it leaves behind is in `files` then.
async function run(module, args, files, write) {
  let instance = null;
  const functions = system(() => instance.exports.memory, ["sectile", ...args], files, write);
  instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: functions });
  try {
    instance.exports._start();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.code;
    throw error;
  }
}

// A request: `{ module, files: { name: text }, commands: [[argument, ...], ...] }`. The commands run one after the other, as long as
// they give verdicts; each sees the files of those before it.
self.onmessage = async ({ data: { module, files: given, commands } }) => {
  const encoder = new TextEncoder();
  const files = new Map();
  for (const [name, text] of Object.entries(given)) {
    const data = encoder.encode(text);
    files.set(name, { data, length: data.length });
  }
  try {
    for (const [index, args] of commands.entries()) {
      const decoders = { 1: new TextDecoder(), 2: new TextDecoder() };
      const write = (fd, part) => {
        self.postMessage({ index, stream: fd === 1 ? "out" : "err", text: decoders[fd].decode(part, { stream: true }) });
      };
      const code = await run(module, args, files, write);
      self.postMessage({ index, code });
      if (![0, 10, 20].includes(code)) break;
    }
    const decoder = new TextDecoder();
    const left = [...files].map(([name, { data, length }]) => [name, decoder.decode(data.subarray(0, length))]);
    self.postMessage({ done: true, files: Object.fromEntries(left) });
  } catch (error) {
    self.postMessage({ failed: String(error && error.stack ? error.stack : error) });
  }
};
