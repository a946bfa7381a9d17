export { constants } from '../fs/constants.ts'
export {
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
} from '../fs/descriptor.ts'
export { Dir, opendirSync } from '../fs/dir.ts'
export { mkdirSync, mkdtempSync, readdirSync, rmdirSync } from '../fs/directories.ts'
export { Dirent } from '../fs/dirent.ts'
export {
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
} from '../fs/links.ts'
export { rmSync } from '../fs/remove.ts'
export { statfsSync } from '../fs/statfs.ts'
export { BigIntStats, fstatSync, lstatSync, Stats, statSync } from '../fs/stats.ts'
export { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from '../fs/whole-file.ts'
