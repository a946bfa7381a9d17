import { notSupported } from '../errors.ts'
import { EventEmitter } from '../events/emitter.ts'
import { host } from '../host.ts'
import { POLLIN, Watcher } from '../loop/descriptors.ts'
import { nextTick } from '../loop/ticks.ts'
import { fileError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { type PathLike, pathOf } from './arguments.ts'

const IN_CLOEXEC_NONBLOCK = 0o2004000
const IN_MODIFY = 0x2
const IN_ATTRIB = 0x4
/**
 * Inotify events that `fs.watch` asks for, as libuv does: changes of contents and attributes, created and removed
 * names.
 */
const EVENTS = IN_MODIFY | IN_ATTRIB | 0x40 | 0x80 | 0x100 | 0x200 | 0x400 | 0x800
/** Layout of the kernel's struct inotify_event: watch 4 bytes, mask 4, cookie 4, length 4, name. */
const NAME_AT = 16

interface WatchOptions {
  readonly persistent?: boolean
  readonly recursive?: boolean
  readonly signal?: AbortSignal
}

type Listener = (event: 'change' | 'rename', name: string) => void

/** Implements `fs.watch`: watches a file for changes, or a folder for created and removed names. */
export class FSWatcher extends EventEmitter {
  readonly #name: string
  #watcher: Watcher | undefined

  constructor(path: string, { persistent = true, recursive = false, signal }: WatchOptions) {
    super()
    if (recursive) throw notSupported('fs.watch with recursive')
    this.#name = path.slice(path.lastIndexOf('/') + 1)
    const fd = call('inotify_init1', IN_CLOEXEC_NONBLOCK)
    const result = fd < 0 ? fd : call('inotify_add_watch', fd, path, EVENTS)
    if (result < 0) {
      if (fd >= 0) call('close', fd)
      throw fileError(result, 'watch', path)
    }
    this.#watcher = new Watcher(fd, POLLIN, () => this.#receive(fd))
    if (!persistent) this.#watcher.unref()
    signal?.addEventListener('abort', () => this.close(), { once: true })
  }

  close(): void {
    if (this.#watcher === undefined) return
    this.#watcher.stop()
    call('close', this.#watcher.fd)
    this.#watcher = undefined
    nextTick(() => this.emit('close'))
  }

  ref(): this {
    this.#watcher?.ref()
    return this
  }

  unref(): this {
    this.#watcher?.unref()
    return this
  }

  #receive(fd: number): void {
    const buffer = new Uint8Array(16_384)
    const count = call('read', fd, buffer, buffer.length)
    const view = new DataView(buffer.buffer)
    for (let at = 0; at + NAME_AT <= count; ) {
      const mask = view.getUint32(at + 4, true)
      const length = view.getUint32(at + 12, true)
      const end = buffer.indexOf(0, at + NAME_AT)
      const name = length === 0 ? this.#name : host.decode(buffer, at + NAME_AT, end)
      const isRename = (mask & ~(IN_MODIFY | IN_ATTRIB)) !== 0
      if (this.#watcher !== undefined) this.emit('change', isRename ? 'rename' : 'change', name)
      at += NAME_AT + length
    }
  }
}

export function watch(path: PathLike, options?: WatchOptions | string | Listener, listener?: Listener): FSWatcher {
  const given = typeof options === 'object' ? options : {}
  const watcher = new FSWatcher(pathOf(path, 'filename'), given)
  const onChange = typeof options === 'function' ? options : listener
  if (onChange !== undefined) watcher.on('change', onChange)
  return watcher
}
