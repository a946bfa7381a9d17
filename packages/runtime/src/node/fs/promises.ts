import type { PathLike } from '../../fs/arguments.ts'
import { constants } from '../../fs/constants.ts'
import { openSync } from '../../fs/descriptor.ts'
import { opendirSync } from '../../fs/dir.ts'
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync } from '../../fs/directories.ts'
import { FileHandle } from '../../fs/file-handle.ts'
import {
  accessSync,
  chmodSync,
  chownSync,
  lchownSync,
  linkSync,
  lutimesSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from '../../fs/links.ts'
import { rmSync } from '../../fs/remove.ts'
import { statfsSync } from '../../fs/statfs.ts'
import { lstatSync, statSync } from '../../fs/stats.ts'
import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from '../../fs/whole-file.ts'

export { constants }

/** Promise version of a synchronous file function. The call still blocks the event loop. */
function later<A extends unknown[], R>(sync: (...args: A) => R): (...args: A) => Promise<R> {
  return async (...args) => sync(...args)
}

/** Creates the promise version of a file function that takes a FileHandle or a path. */
function ofFile<A extends unknown[], R>(sync: (file: PathLike | number, ...args: A) => R) {
  return async (file: PathLike | FileHandle, ...args: A): Promise<R> =>
    sync(file instanceof FileHandle ? file.fd : file, ...args)
}

export const access = /* @__PURE__ */ later(accessSync)
export const appendFile = /* @__PURE__ */ ofFile(appendFileSync)
export const chmod = /* @__PURE__ */ later(chmodSync)
export const chown = /* @__PURE__ */ later(chownSync)
export const copyFile = /* @__PURE__ */ later(copyFileSync)
export const lchown = /* @__PURE__ */ later(lchownSync)
export const link = /* @__PURE__ */ later(linkSync)
export const lstat = /* @__PURE__ */ later(lstatSync)
export const lutimes = /* @__PURE__ */ later(lutimesSync)
export const mkdir = /* @__PURE__ */ later(mkdirSync)
export const mkdtemp = /* @__PURE__ */ later(mkdtempSync)
export const opendir = /* @__PURE__ */ later(opendirSync)
export const readdir = /* @__PURE__ */ later(readdirSync)
export const readFile = /* @__PURE__ */ ofFile(readFileSync)
export const readlink = /* @__PURE__ */ later(readlinkSync)
export const realpath = /* @__PURE__ */ later(realpathSync)
export const rename = /* @__PURE__ */ later(renameSync)
export const rm = /* @__PURE__ */ later(rmSync)
export const rmdir = /* @__PURE__ */ later(rmdirSync)
export const stat = /* @__PURE__ */ later(statSync)
export const statfs = /* @__PURE__ */ later(statfsSync)
export const symlink = /* @__PURE__ */ later(symlinkSync)
export const truncate = /* @__PURE__ */ later(truncateSync)
export const unlink = /* @__PURE__ */ later(unlinkSync)
export const utimes = /* @__PURE__ */ later(utimesSync)
export const writeFile = /* @__PURE__ */ ofFile(writeFileSync)

export async function open(path: PathLike, flags?: string | number, mode?: string | number): Promise<FileHandle> {
  return new FileHandle(openSync(path, flags, mode))
}

export default {
  access,
  appendFile,
  chmod,
  chown,
  constants,
  copyFile,
  lchown,
  link,
  lstat,
  lutimes,
  mkdir,
  mkdtemp,
  open,
  opendir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
}
