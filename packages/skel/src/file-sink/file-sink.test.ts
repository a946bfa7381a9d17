import { linkSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, fileSink } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { tempFolder } from '../../test/temp-folder.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = tempFolder()
  path = join(folder, 'log')
})

/** Runs one call that logs some lines. */
const write = async (options: Partial<Parameters<typeof fileSink>[0]>, ...lines: string[]) => {
  const sink = fileSink({ path, maxBytes: 10, ...options })
  for (const line of lines) sink.write(line)
  await sink.flush?.()
}
const files = () =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))

describe('a log file', () => {
  it('is created with its folder at the first line, for its owner only', async () => {
    path = join(folder, 'var/log/p.log')
    await write({})
    expect(readdirSync(folder)).toEqual([])
    await write({}, 'a\n', 'b\n')
    expect(readFileSync(path, 'utf8')).toBe('a\nb\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('grows across calls up to the limit, then is renamed to a backup', async () => {
    for (const line of ['1234567\n', 'abcdefg\n', 'second\n', 'x'.repeat(9), 'third\n']) await write({}, line)
    expect(files()).toEqual({ log: 'third\n', 'log.1': `second\n${'x'.repeat(9)}` })
  })

  it.each([
    [0, { log: '4444444444' }],
    [1, { log: '4444444444', 'log.1': '3333333333' }],
    [3, { log: '4444444444', 'log.1': '3333333333', 'log.2': '2222222222', 'log.3': '1111111111' }],
  ])('keeps %i backups', async (keep, expected) => {
    for (const digit of '01234') await write({ keep }, digit.repeat(10))
    expect(files()).toEqual(expected)
  })

  it('loses backups that are too old', async () => {
    writeFileSync(`${path}.1`, 'young')
    writeFileSync(`${path}.2`, 'old')
    const past = Date.now() / 1000 - 120
    utimesSync(`${path}.2`, past, past)
    await write({ keep: 2 }, 'a\n')
    expect(Object.keys(files())).toEqual(['log', 'log.1', 'log.2'])
    await write({ keep: 2, maxAge: 60_000 }, 'b\n')
    expect(Object.keys(files())).toEqual(['log', 'log.1'])
  })

  it('is never a symbolic link, a hard link or a device', async () => {
    const target = join(folder, 'target')
    writeFileSync(target, 'untouched, and larger than the limit')
    for (const link of [symlinkSync, linkSync]) {
      link(target, path)
      await expect(write({ maxBytes: 1000 }, 'a\n')).rejects.toThrow()
      rmSync(path)
    }
    await expect(write({ path: '/dev/null' }, 'a\n')).rejects.toThrow('not a regular file')
    expect(files()).toEqual({ target: 'untouched, and larger than the limit' })
    expect(() => fileSink({ path: 'relative.log' })).toThrow('expected an absolute path, got "relative.log"')
  })

  it.each([
    [{ maxBytes: Number.NaN }, 'maxBytes: expected a number of bytes above 0, got NaN'],
    [{ maxBytes: 0 }, 'maxBytes: expected a number of bytes above 0, got 0'],
    [{ keep: -1 }, 'keep: expected a whole number from 0 on, got -1'],
    [{ keep: 1.5 }, 'keep: expected a whole number from 0 on, got 1.5'],
    [{ maxAge: Number.NaN }, 'maxAge: expected milliseconds above 0, got NaN'],
  ])('rejects the limits %j', (limits, message) => {
    expect(() => fileSink({ path, ...limits })).toThrow(new TypeError(`fileSink: ${message}`))
    expect(() => fileSink({ path, maxBytes: Infinity, keep: 0, maxAge: 1 })).not.toThrow()
  })

  it('does not fail the call if it cannot be written', async () => {
    const plugin = (options: Parameters<typeof fileSink>[0]) =>
      definePlugin({
        name: 'p',
        log: () => ({ sinks: [fileSink(options)] }),
        add(c) {
          c.log.info('a')
          c.log.info('b')
          return {}
        },
      })
    writeFileSync(path, '')
    for (const broken of ['/dev/full', join(path, 'log')]) {
      const { exitCode, log } = await testPlugin(plugin({ path: broken })).add()
      expect([exitCode, log.map(({ msg }) => msg)]).toEqual([0, ['a', 'a log sink failed and is left out', 'b']])
    }
  })
})
