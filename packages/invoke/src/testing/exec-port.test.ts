import { CniError } from '@cni/types'
import { afterAll, describe, expect, test } from 'vitest'
import type { Exec } from '../exec.ts'
import { addPlugin, checkPlugin, delPlugin, gcPlugin, statusPlugin } from '../plugin.ts'
import { realExec } from '../real-exec.ts'
import { getVersionInfo } from '../version-info.ts'
import { fakeExec, outcome } from './fake-exec.ts'
import { scriptFolder } from './scripts.ts'

// One suite for the port: what holds for processes must hold for the fake.
const bin = scriptFolder()
afterAll(() => bin[Symbol.dispose]())

bin.script(
  'good',
  `case "$CNI_COMMAND" in
    ADD) printf '{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/24"}],"extra":1}' ;;
    VERSION) printf '{"cniVersion":"1.0.0","supportedVersions":["0.4.0","1.0.0"]}' ;;
  esac`,
)
bin.script('bad', `printf '{"code":7,"msg":"bad","details":"dd"}'; exit 1`)
bin.script('silent', 'exit 3')
bin.script('noisy', 'echo why >&2; exit 3')
bin.script('killed', 'kill -9 $$')
bin.script('stuck', 'exec sleep 60')

const fake = fakeExec({
  good: {
    ADD: { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], extra: 1 },
    VERSION: { cniVersion: '1.0.0', supportedVersions: ['0.4.0', '1.0.0'] },
  },
  bad: () => {
    throw new CniError(7, 'bad', { details: 'dd' })
  },
  silent: () => outcome({ exitCode: 3 }),
  noisy: () => outcome({ exitCode: 3, stderr: 'why\n' }),
  killed: () => outcome({ signal: 'SIGKILL' }),
  stuck: () => new Promise(() => undefined),
})

const call = { containerID: 'c1', netns: '/ns', ifName: 'eth0', path: [bin.dir] }
const conf = { cniVersion: '1.0.0', name: 'net', type: 'x' }

describe.each<[string, Exec]>([
  ['real', realExec()],
  ['fake', fake],
])('%s plugins', (_, exec) => {
  const heard: string[] = []
  const options = { exec, stderr: (chunk: Uint8Array) => void heard.push(new TextDecoder().decode(chunk)) }

  test('ADD gives the document and the model', async () => {
    const { document, result } = await addPlugin('good', conf, call, options)
    expect(document).toEqual({ cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], extra: 1 })
    expect(result.ips).toEqual([{ address: '10.0.0.2/24' }])
  })

  test('CHECK, DEL, GC and STATUS give nothing', async () => {
    expect(await checkPlugin('good', conf, call, options)).toBeUndefined()
    expect(await delPlugin('good', conf, call, options)).toBeUndefined()
    expect(await gcPlugin('good', conf, call, options)).toBeUndefined()
    expect(await statusPlugin('good', conf, call, options)).toBeUndefined()
  })

  test('VERSION gives the list', async () => {
    const { supportedVersions } = await getVersionInfo(exec.find('good', [bin.dir]), options)
    expect(supportedVersions).toEqual(['0.4.0', '1.0.0'])
  })

  test.each([
    ['bad', { code: 7, message: 'bad', details: 'dd', reason: 'reported' }],
    ['silent', { code: 0, message: 'netplugin failed with no error message: exit status 3', reason: 'exit' }],
    ['noisy', { code: 0, message: 'netplugin failed: "why\\n": exit status 3', reason: 'exit', stderr: 'why\n' }],
    ['killed', { code: 0, message: 'netplugin failed with no error message: signal: killed', signal: 'SIGKILL' }],
  ])('%s fails as it should', async (plugin, error) => {
    await expect(delPlugin(plugin, conf, call, options)).rejects.toMatchObject({ plugin, ...error })
  })

  test('stderr is passed on', async () => {
    heard.length = 0
    await delPlugin('noisy', conf, call, options).catch(() => undefined)
    expect(heard.join('')).toBe('why\n')
  })

  test.each([
    ['before', () => AbortSignal.abort()],
    ['while', abortSoon],
  ])('an abort %s it runs is an error with code 11', async (_when, signal) => {
    const del = delPlugin('stuck', conf, call, { ...options, signal: signal() })
    await expect(del).rejects.toMatchObject({ code: 11, reason: 'aborted' })
  })

  test('a deadline that passes is an error with code 11', async () => {
    const del = delPlugin('stuck', conf, call, { ...options, timeout: 100 })
    await expect(del).rejects.toMatchObject({ code: 11, reason: 'timeout' })
  })

  test('a plugin that is not there is not found', () => {
    expect(() => exec.find('gone', [bin.dir])).toThrow(`failed to find plugin "gone" in path [${bin.dir}]`)
    expect(() => exec.find('gone', [])).toThrow('no paths provided')
    expect(() => exec.find('', [bin.dir])).toThrow('no plugin name provided')
    expect(() => exec.find('a/b', [bin.dir])).toThrow('invalid plugin name: a/b')
  })
})

test('a fake plugin passes on its prevResult and supports every version unless told otherwise', async () => {
  const exec = fakeExec({ through: {} })
  const prevResult = { cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }] }
  expect((await addPlugin('through', { ...conf, prevResult }, call, { exec })).document).toEqual(prevResult)
  expect((await getVersionInfo(exec.find('through', ['/']), { exec })).supportedVersions).toContain('0.1.0')
})

function abortSoon(): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 100)
  return controller.signal
}
