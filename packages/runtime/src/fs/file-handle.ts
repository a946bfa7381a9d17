import { Buffer } from '../buffer/buffer.ts'
import { closeSync, fchmodSync, fsyncSync, ftruncateSync, readSync, writeSync } from './descriptor.ts'
import { fstatSync, type StatOptions } from './stats.ts'
import { appendFileSync, readFileSync, writeFileSync } from './whole-file.ts'

type Position = number | bigint | null

/** Open file, the result of `fs/promises.open`. */
export class FileHandle {
  #fd: number

  constructor(fd: number) {
    this.#fd = fd
  }

  get fd(): number {
    return this.#fd
  }

  async read(buffer: ArrayBufferView = new Buffer(16_384), offset = 0, length?: number, position?: Position) {
    return { bytesRead: readSync(this.#fd, buffer, offset, length, position), buffer }
  }

  async write(data: string | ArrayBufferView, first?: number | null, second?: number | string, position?: Position) {
    return { bytesWritten: writeSync(this.#fd, data, first, second, position), buffer: data }
  }

  async readFile(options?: string | { readonly encoding?: string | null }): Promise<string | Buffer> {
    return readFileSync(this.#fd, options)
  }

  async writeFile(data: string | ArrayBufferView, options?: string): Promise<void> {
    writeFileSync(this.#fd, data, options)
  }

  async appendFile(data: string | ArrayBufferView, options?: string): Promise<void> {
    appendFileSync(this.#fd, data, options)
  }

  async stat(options?: StatOptions) {
    return fstatSync(this.#fd, options)
  }

  async chmod(mode: number): Promise<void> {
    fchmodSync(this.#fd, mode)
  }

  async truncate(length?: number): Promise<void> {
    ftruncateSync(this.#fd, length)
  }

  async sync(): Promise<void> {
    fsyncSync(this.#fd)
  }

  async close(): Promise<void> {
    if (this.#fd < 0) return
    const fd = this.#fd
    this.#fd = -1
    closeSync(fd)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
