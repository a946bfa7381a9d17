import { expect, test } from 'vitest'
import type { Exec } from '../src/exec.ts'
import { addPlugin, callPlugin } from '../src/plugin.ts'
import { getVersionInfo } from '../src/version-info.ts'

const conf = { cniVersion: '1.0.0', name: 'net', type: 'x' }

/** Tests that the real and the fake `Exec` must both pass. */
export function execPortSuite(exec: Exec, folder: string): void {
  const call = { containerID: 'c1', netns: '/ns', ifName: 'eth0', path: [folder] }
  const heard: string[] = []
  const options = { exec, stderr: (chunk: Uint8Array) => void heard.push(new TextDecoder().decode(chunk)) }

  test('ADD returns the document and the model', async () => {
    const { document, result } = await addPlugin('good', conf, call, options)
    expect(document).toEqual({ cniVersion: '1.0.0', ips: [{ address: '10.0.0.2/24' }], extra: 1 })
    expect(result.ips).toEqual([{ address: '10.0.0.2/24' }])
  })

  test('CHECK, DEL, GC and STATUS return nothing', async () => {
    expect(await callPlugin('CHECK', 'good', conf, call, options)).toBeUndefined()
    expect(await callPlugin('DEL', 'good', conf, call, options)).toBeUndefined()
    expect(await callPlugin('GC', 'good', conf, call, options)).toBeUndefined()
    expect(await callPlugin('STATUS', 'good', conf, call, options)).toBeUndefined()
  })

  test('VERSION returns the supported versions', async () => {
    const { supportedVersions } = await getVersionInfo(exec.find('good', [folder]), options)
    expect(supportedVersions).toEqual(['1.0.0', '1.1.0'])
  })

  test.each([
    ['bad', { code: 7, message: 'bad', details: 'dd', reason: 'reported' }],
    ['silent', { code: 0, message: 'netplugin failed with no error message: exit status 3', reason: 'exit' }],
    ['noisy', { code: 0, message: 'netplugin failed: "why\\n": exit status 3', reason: 'exit', stderr: 'why\n' }],
    ['killed', { code: 0, message: 'netplugin failed with no error message: signal: killed', signal: 'SIGKILL' }],
  ])('%s fails with its error', async (plugin, error) => {
    await expect(callPlugin('DEL', plugin, conf, call, options)).rejects.toMatchObject({ plugin, ...error })
  })

  test('stderr is passed on', async () => {
    heard.length = 0
    await callPlugin('DEL', 'noisy', conf, call, options).catch(() => undefined)
    expect(heard.join('')).toBe('why\n')
  })

  test.each([
    ['before', () => AbortSignal.abort()],
    ['while', abortSoon],
  ])('an abort %s it runs fails with code 11', async (_when, signal) => {
    const del = callPlugin('DEL', 'stuck', conf, call, { ...options, signal: signal() })
    await expect(del).rejects.toMatchObject({ code: 11, reason: 'aborted' })
  })

  test('a passed deadline fails with code 11', async () => {
    const del = callPlugin('DEL', 'stuck', conf, call, { ...options, timeout: 100 })
    await expect(del).rejects.toMatchObject({ code: 11, reason: 'timeout' })
  })

  test('a missing plugin is reported as not found', () => {
    expect(() => exec.find('gone', [folder])).toThrow(`failed to find plugin "gone" in path [${folder}]`)
    expect(() => exec.find('gone', [])).toThrow('no paths provided')
    expect(() => exec.find('', [folder])).toThrow('no plugin name provided')
    expect(() => exec.find('a/b', [folder])).toThrow('invalid plugin name: a/b')
  })
}

function abortSoon(): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 100)
  return controller.signal
}
