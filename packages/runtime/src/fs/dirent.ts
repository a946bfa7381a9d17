import { constants } from './constants.ts'

/** Entry of a directory with its file type, as `readdir` returns it. */
export class Dirent {
  readonly name: string
  readonly parentPath: string
  readonly #type: number

  constructor(name: string, parentPath: string, type: number) {
    this.name = name
    this.parentPath = parentPath
    this.#type = type << 12
  }

  get path(): string {
    return this.parentPath
  }

  isFile(): boolean {
    return this.#type === constants.S_IFREG
  }

  isDirectory(): boolean {
    return this.#type === constants.S_IFDIR
  }

  isSymbolicLink(): boolean {
    return this.#type === constants.S_IFLNK
  }

  isFIFO(): boolean {
    return this.#type === constants.S_IFIFO
  }

  isSocket(): boolean {
    return this.#type === constants.S_IFSOCK
  }

  isCharacterDevice(): boolean {
    return this.#type === constants.S_IFCHR
  }

  isBlockDevice(): boolean {
    return this.#type === constants.S_IFBLK
  }
}
