// What the module of a game may import: functions of WASI, with the answers of package wasm (host.go). They show
// nothing of the machine and change nothing on it.

const SUCCESS = 0;
const NO_FILE = 8;

/**
 * instantiate makes an instance of a module and has the runtime in it begin, if there is one.
 * @param {BufferSource} file
 * @returns {Promise<any>} what the module exports
 */
export async function instantiate(file) {
  /** @type {any} */
  let exports;
  const view = () => new DataView(exports.memory.buffer);
  const zero = (/** @type {number} */ address, /** @type {number} */ size) => {
    new Uint8Array(exports.memory.buffer, address, size).fill(0);
    return SUCCESS;
  };
  const nothing = () => SUCCESS;
  const noSizes = (/** @type {number} */ count, /** @type {number} */ size) => zero(count, 4) || zero(size, 4);
  const noFile = () => NO_FILE;
  const host = {
    args_get: nothing, args_sizes_get: noSizes, environ_get: nothing, environ_sizes_get: noSizes, sched_yield: nothing,
    fd_close: noFile, fd_fdstat_get: noFile, fd_fdstat_set_flags: noFile, fd_prestat_dir_name: noFile,
    fd_prestat_get: noFile, fd_read: noFile,
    clock_time_get(/** @type {number} */ _id, /** @type {bigint} */ _precision, /** @type {number} */ address) {
      view().setBigUint64(address, 1n, true);
      return SUCCESS;
    },
    fd_write(/** @type {number} */ _file, /** @type {number} */ parts, /** @type {number} */ count,
      /** @type {number} */ written) {
      let size = 0;
      for (let i = 0; i < count; i++) size += view().getUint32(parts + 8 * i + 4, true);
      view().setUint32(written, size, true);
      return SUCCESS;
    },
    poll_oneoff: (/** @type {number} */ _in, /** @type {number} */ _out, /** @type {number} */ _count,
      /** @type {number} */ events) => zero(events, 4),
    proc_exit(/** @type {number} */ status) {
      throw new Error(`it exits with status ${status}`);
    },
    random_get: zero,
  };
  const { instance } = await WebAssembly.instantiate(/** @type {any} */ (file), { wasi_snapshot_preview1: host });
  exports = instance.exports;
  exports._initialize?.();
  return exports;
}
