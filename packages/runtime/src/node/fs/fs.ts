import { constants } from '../../fs/constants.ts'
import {
  closeSync,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  readvSync,
  writeSync,
  writevSync,
} from '../../fs/descriptor.ts'
import { Dir, opendirSync } from '../../fs/dir.ts'
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync } from '../../fs/directories.ts'
import { Dirent } from '../../fs/dirent.ts'
import {
  accessSync,
  chmodSync,
  chownSync,
  existsSync,
  futimesSync,
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
import { fstatSync, lstatSync, Stats, statSync } from '../../fs/stats.ts'
import { createReadStream, createWriteStream, ReadStream, WriteStream } from '../../fs/streams.ts'
import { watch } from '../../fs/watch.ts'
import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from '../../fs/whole-file.ts'
import { withCallback } from '../../fs/with-callback.ts'
import { nextTick } from '../../loop/ticks.ts'
import * as promises from './promises.ts'

export {
  accessSync,
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  createReadStream,
  createWriteStream,
  Dir,
  Dirent,
  existsSync,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  futimesSync,
  lchownSync,
  linkSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  opendirSync,
  openSync,
  promises,
  ReadStream,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  readvSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  Stats,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  WriteStream,
  watch,
  writeFileSync,
  writeSync,
  writevSync,
}

export const access = /* @__PURE__ */ withCallback(accessSync)
export const appendFile = /* @__PURE__ */ withCallback(appendFileSync)
export const chmod = /* @__PURE__ */ withCallback(chmodSync)
export const chown = /* @__PURE__ */ withCallback(chownSync)
export const close = /* @__PURE__ */ withCallback(closeSync)
export const copyFile = /* @__PURE__ */ withCallback(copyFileSync)
export const fchmod = /* @__PURE__ */ withCallback(fchmodSync)
export const fstat = /* @__PURE__ */ withCallback(fstatSync)
export const fsync = /* @__PURE__ */ withCallback(fsyncSync)
export const ftruncate = /* @__PURE__ */ withCallback(ftruncateSync)
export const lchown = /* @__PURE__ */ withCallback(lchownSync)
export const link = /* @__PURE__ */ withCallback(linkSync)
export const lstat = /* @__PURE__ */ withCallback(lstatSync)
export const mkdir = /* @__PURE__ */ withCallback(mkdirSync)
export const mkdtemp = /* @__PURE__ */ withCallback(mkdtempSync)
export const open = /* @__PURE__ */ withCallback(openSync)
export const opendir = /* @__PURE__ */ withCallback(opendirSync)
export const readdir = /* @__PURE__ */ withCallback(readdirSync)
export const readFile = /* @__PURE__ */ withCallback(readFileSync)
export const readlink = /* @__PURE__ */ withCallback(readlinkSync)
export const realpath = /* @__PURE__ */ withCallback(realpathSync)
export const rename = /* @__PURE__ */ withCallback(renameSync)
export const rm = /* @__PURE__ */ withCallback(rmSync)
export const rmdir = /* @__PURE__ */ withCallback(rmdirSync)
export const stat = /* @__PURE__ */ withCallback(statSync)
export const statfs = /* @__PURE__ */ withCallback(statfsSync)
export const symlink = /* @__PURE__ */ withCallback(symlinkSync)
export const truncate = /* @__PURE__ */ withCallback(truncateSync)
export const unlink = /* @__PURE__ */ withCallback(unlinkSync)
export const utimes = /* @__PURE__ */ withCallback(utimesSync)
export const writeFile = /* @__PURE__ */ withCallback(writeFileSync)
export const read = /* @__PURE__ */ withCallback(readSync, true)
export const write = /* @__PURE__ */ withCallback(writeSync, true)

export function exists(path: unknown, callback: (exists: boolean) => void): void {
  nextTick(() => callback(existsSync(path)))
}

export default {
  constants,
  closeSync,
  fchmodSync,
  fchownSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  readvSync,
  writeSync,
  writevSync,
  Dir,
  opendirSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmdirSync,
  Dirent,
  accessSync,
  chmodSync,
  chownSync,
  existsSync,
  futimesSync,
  lchownSync,
  linkSync,
  lutimesSync,
  readlinkSync,
  realpathSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  rmSync,
  statfsSync,
  fstatSync,
  lstatSync,
  Stats,
  statSync,
  appendFileSync,
  copyFileSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  createReadStream,
  createWriteStream,
  ReadStream,
  WriteStream,
  watch,
  promises,
  access,
  appendFile,
  chmod,
  chown,
  close,
  copyFile,
  fchmod,
  fstat,
  fsync,
  ftruncate,
  lchown,
  link,
  lstat,
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
  read,
  write,
  exists,
}
