import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'
import { definePlugin } from '../definition/plugin.ts'
import { isDaemonError } from './daemon-error.ts'
import { serveDaemon } from './serve-daemon.ts'

const plugin = definePlugin({ name: 'thick', add: () => ({}) })
let folder: string
beforeEach(() => {
  folder = tempFolder()
})

const mode = (path: string): number => lstatSync(path).mode & 0o777
const refusal = async (socket: string): Promise<unknown> => {
  try {
    await (await serveDaemon(plugin, { socket })).stop()
  } catch (error) {
    return isDaemonError(error) ? error.code : error
  }
  return 'served'
}

/** Leaves a socket without a listener. */
function stale(path: string): void {
  const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`
  expect(() => execFileSync(process.execPath, ['-e', script])).toThrow('Command failed')
  expect(lstatSync(path).isSocket()).toBe(true)
}

describe('the socket of a daemon', () => {
  it('is accessible to its owner only, in a new folder', async () => {
    const socket = join(folder, 'run/thick/thick.sock')
    await using daemon = await serveDaemon(plugin, { socket })
    expect(daemon.socket).toBe(socket)
    expect(lstatSync(socket).isSocket()).toBe(true)
    expect([mode(join(folder, 'run/thick')), mode(socket)]).toEqual([0o700, 0o600])
  })

  it('is removed when the daemon stops, and the folder stays', async () => {
    const socket = join(folder, 'run/thick.sock')
    await (await serveDaemon(plugin, { socket })).stop()
    expect([existsSync(socket), existsSync(join(folder, 'run'))]).toEqual([false, true])
    expect(await refusal(socket)).toBe('served')
  })

  it('replaces a stale one', async () => {
    const socket = join(folder, 'thick.sock')
    stale(socket)
    expect(await refusal(socket)).toBe('served')
  })

  it('does not replace a socket with a listener', async () => {
    const socket = join(folder, 'thick.sock')
    await using first = await serveDaemon(plugin, { socket })
    expect(await refusal(socket)).toBe('IN_USE')
    expect(existsSync(first.socket)).toBe(true)
  })

  it('is kept if a successor has taken the path', async () => {
    const socket = join(folder, 'thick.sock')
    const first = await serveDaemon(plugin, { socket })
    rmSync(socket)
    await using second = await serveDaemon(plugin, { socket })
    await first.stop()
    expect(existsSync(second.socket)).toBe(true)
  })

  it.each([
    ['a file', (path: string) => writeFileSync(path, 'precious')],
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link', (path: string) => symlinkSync('/nowhere', path)],
  ])('never replaces %s', async (_title, make) => {
    const socket = join(folder, 'thick.sock')
    make(socket)
    expect(await refusal(socket)).toBe('NOT_A_SOCKET')
    expect(lstatSync(socket).isSocket()).toBe(false)
  })

  it.each([0o777, 0o770, 0o1777])('is rejected in a folder that other users can write to, mode %o', async (open) => {
    chmodSync(folder, open)
    expect(await refusal(join(folder, 'thick.sock'))).toBe('INSECURE')
  })

  it.each([
    ['a relative path', 'thick.sock'],
    ['a path that is too long for the kernel', `/${'x'.repeat(107)}`],
  ])('is rejected with %s', async (_title, socket) => {
    expect(await refusal(socket)).toBe('INVALID')
  })

  it('is rejected in a folder that cannot be created', async () => {
    writeFileSync(join(folder, 'file'), '')
    expect(await refusal(join(folder, 'file/run/thick.sock'))).toBe('ENOTDIR')
  })
})
