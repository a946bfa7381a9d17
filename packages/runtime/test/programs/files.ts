import fs, {
  accessSync,
  appendFileSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  opendirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import * as promises from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { failure, show, showAsync, text } from './show.ts'

export default async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'cni-files-'))
  process.chdir(folder)
  try {
    contents()
    folders()
    links()
    errors()
    await asynchronous()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function contents(): void {
  show('write', () => writeFileSync('a', 'héllo'))
  show('read', () => readFileSync('a', 'utf8'))
  show('read buffer', () => readFileSync('a').toString('hex'))
  show('read latin1', () => readFileSync('a', { encoding: 'latin1' }))
  show('append', () => appendFileSync('a', Buffer.from('!')))
  show('exclusive', () => writeFileSync('a', 'x', { flag: 'wx' }))
  show('mode', () => {
    writeFileSync('m', '', { mode: 0o600 })
    return statSync('m').mode.toString(8)
  })
  show('chmod', () => {
    chmodSync('m', '640')
    return statSync('m').mode.toString(8)
  })
  show('descriptor', () => {
    const fd = openSync('d', 'w+')
    const wrote = [writeSync(fd, 'abcdef'), writeSync(fd, Buffer.from('XYZ'), 1, 2), writeSync(fd, 'zz', 0)]
    const buffer = Buffer.alloc(10)
    const read = [
      readSync(fd, buffer, 0, 4, 2),
      readSync(fd, buffer, { position: 0, length: 2, offset: 8 }),
      buffer.toString('latin1'),
    ]
    ftruncateSync(fd, 3)
    fsyncSync(fd)
    const size = fstatSync(fd).size
    closeSync(fd)
    return [wrote, read, size, readFileSync('d', 'utf8')]
  })
  show('truncate', () => {
    truncateSync('d', 1)
    return readFileSync('d', 'utf8')
  })
  show('copy', () => {
    copyFileSync('a', 'b')
    return [readFileSync('b', 'utf8'), statSync('b').mode.toString(8)]
  })
  show('copy exclusive', () => copyFileSync('a', 'b', constants.COPYFILE_EXCL))
  show('times', () => {
    utimesSync('a', 1_000_000_000, new Date(1_500_000_000_500))
    const { atimeMs, mtimeMs, mtime } = statSync('a')
    return [atimeMs, mtimeMs, mtime]
  })
  show('bigint', () => {
    const stat = statSync('a', { bigint: true })
    return [typeof stat.size, stat.size, stat.mtimeNs, stat.mtimeMs, stat.isFile()]
  })
  show('stat kinds', () => {
    const kinds = [
      'isFile',
      'isDirectory',
      'isFIFO',
      'isSocket',
      'isSymbolicLink',
      'isCharacterDevice',
      'isBlockDevice',
    ] as const
    return ['a', '.', '/dev/null'].map((path) => kinds.filter((kind) => statSync(path)[kind]()))
  })
  show('stat equal', () => {
    const { dev, ino, nlink, uid, gid, size, blksize, blocks, rdev } = statSync('/dev/null')
    return [typeof dev, ino > 0, nlink, uid, gid, size, blksize, blocks, rdev]
  })
  show('statfs', () => Object.keys(statfsSync('/')).sort())
  show('proc', () => readFileSync('/proc/self/comm', 'utf8').length > 0)
  show('throwIfNoEntry', () => [
    statSync('nope', { throwIfNoEntry: false }),
    lstatSync('a/b', { throwIfNoEntry: false }),
  ])
  show('default export', () => fs.existsSync('a') && fs.constants.O_CREAT === constants.O_CREAT)
}

function folders(): void {
  show('mkdir', () => mkdirSync('x'))
  show('mkdir recursive', () => mkdirSync('x/y/z', { recursive: true })?.replace(/.*cni-files-[^/]*/, ''))
  show('mkdir again', () => mkdirSync('x/y/z', { recursive: true }))
  show('mkdir over file', () => mkdirSync('a', { recursive: true }))
  show('mkdir under file', () => mkdirSync('a/q', { recursive: true }))
  writeFileSync('x/f', '')
  writeFileSync('x/y/g', '')
  show('readdir', () => readdirSync('.'))
  show('readdir types', () =>
    readdirSync('x', { withFileTypes: true }).map((one) => [one.name, one.parentPath, one.isFile(), one.isDirectory()]),
  )
  show('readdir recursive', () => (readdirSync('x', { recursive: true }) as string[]).sort())
  show('opendir', () => {
    const dir = opendirSync('x')
    const names = [dir.readSync()?.name, dir.readSync()?.name, dir.readSync()]
    dir.closeSync()
    return names.sort()
  })
  show('rmdir full', () => rmdirSync('x'))
  show('rm directory', () => {
    try {
      rmSync('x')
      return 'removed'
    } catch (error) {
      return error instanceof Error && 'code' in error ? error.code : ''
    }
  })
  show('rm recursive', () => {
    rmSync('x', { recursive: true })
    return existsSync('x')
  })
  show('rm missing', () => rmSync('x'))
  show('rm force', () => rmSync('x', { force: true }))
}

function links(): void {
  show('symlink', () => symlinkSync('a', 'l'))
  show('readlink', () => readlinkSync('l'))
  show('lstat', () => [lstatSync('l').isSymbolicLink(), statSync('l').isFile()])
  show('realpath', () => realpathSync('l').replace(/.*cni-files-[^/]*/, ''))
  show('realpath ..', () => realpathSync('./l/../a/.').replace(/.*cni-files-[^/]*/, ''))
  show('link', () => {
    linkSync('a', 'h')
    return statSync('a').nlink
  })
  show('rename', () => {
    renameSync('h', 'i')
    return [existsSync('h'), existsSync('i')]
  })
  show('loop', () => {
    symlinkSync('loop', 'loop')
    return statSync('loop')
  })
  show('realpath loop', () => realpathSync.native('loop'))
  show('unlink', () => unlinkSync('i'))
}

function errors(): void {
  const calls: readonly (readonly [string, () => unknown])[] = [
    ['open', () => openSync('nope/x', 'r')],
    ['open flags', () => openSync('a', 'q')],
    ['readFile', () => readFileSync('nope')],
    ['readFile directory', () => readFileSync('.')],
    ['write', () => writeFileSync('nope/x', '')],
    ['stat', () => statSync('nope')],
    ['lstat', () => lstatSync('nope')],
    ['fstat', () => fstatSync(999)],
    ['close', () => closeSync(999)],
    ['close text', () => closeSync('1' as never)],
    ['close -1', () => closeSync(-1)],
    ['read', () => readSync(999, Buffer.alloc(1))],
    ['mkdir', () => mkdirSync('a')],
    ['mkdir deep', () => mkdirSync('n/m')],
    ['rmdir', () => rmdirSync('nope')],
    ['unlink', () => unlinkSync('nope')],
    ['rename', () => renameSync('nope', 'x')],
    ['link', () => linkSync('nope', 'x')],
    ['symlink', () => symlinkSync('x', 'a')],
    ['readlink', () => readlinkSync('a')],
    ['access', () => accessSync('nope', constants.R_OK)],
    ['chmod', () => chmodSync('nope', 0o600)],
    ['utimes', () => utimesSync('nope', 1, 1)],
    ['copyFile', () => copyFileSync('nope', 'x')],
    ['readdir', () => readdirSync('nope')],
    ['readdir file', () => readdirSync('a')],
    ['statfs', () => statfsSync('nope')],
    ['mkdtemp', () => mkdtempSync('nope/x')],
    ['truncate', () => truncateSync('nope')],
    ['realpath', () => realpathSync.native('nope')],
    ['path undefined', () => readFileSync(undefined as never)],
    ['path number', () => statSync(5 as never)],
    ['path NUL', () => statSync('a\0b')],
  ]
  for (const [name, action] of calls) show(`error ${name}`, action)
}

async function asynchronous(): Promise<void> {
  await showAsync('promise', async () => {
    await promises.writeFile('p', 'text')
    await promises.appendFile('p', '+')
    return [await promises.readFile('p', 'utf8'), (await promises.stat('p')).size, await promises.readdir('.')]
  })
  await showAsync('promise error', () => promises.readFile('nope'))
  await showAsync('handle', async () => {
    const handle = await promises.open('p', 'r+')
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(3), 0, 3, 0)
    await handle.close()
    return [bytesRead, buffer.toString()]
  })
  await new Promise<void>((resolve) => {
    fs.readFile('nope', (error) => {
      process.stdout.write(`callback: ${failure(error)}\n`)
      fs.readFile('p', 'utf8', (none, value) => {
        process.stdout.write(`callback: ${text([none, value])}\n`)
        resolve()
      })
    })
  })
  await showAsync('streams', async () => {
    const chunks: unknown[] = []
    for await (const chunk of fs.createReadStream('p', { encoding: 'utf8', highWaterMark: 2 })) chunks.push(chunk)
    return chunks
  })
}
