import { encodeError, toErrorDocument } from '@cni/types'
import { describe, expect, it } from 'vitest'
import { runPlugin } from '../run.ts'
import { acceptAdd } from './index.ts'

const ENV = { CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c', CNI_NETNS: '/x', CNI_IFNAME: 'eth0', CNI_PATH: '/bin' }
const accept = (conf: string, env: object = {}) => acceptAdd({ env: { ...ENV, ...env }, stdin: Buffer.from(conf) })

/** A call that is refused before any handler. */
const plugin = { name: 'p', add: () => Promise.reject(new Error('it was accepted')) }

describe('acceptAdd', () => {
  it('knows what the plugin would', () => {
    const { environment, document, version } = accept('{"name":"a","CNIVersion":"0.4.0","more":1}')
    expect({ environment, document, version }).toMatchObject({
      environment: { containerID: 'c', ifName: 'eth0', netns: '/x', path: ['/bin'] },
      document: { name: 'a', cniVersion: '0.4.0', more: 1 },
      version: '0.4.0',
    })
  })

  it.each([
    ['no JSON', '{', {}],
    ['no name', '{"cniVersion":"1.0.0"}', {}],
    ['another version', '{"cniVersion":"9.0.0","name":"a"}', {}],
    ['no container', '{"cniVersion":"1.0.0","name":"a"}', { CNI_CONTAINERID: '' }],
    ['an interface that is none', '{"cniVersion":"1.0.0","name":"a"}', { CNI_IFNAME: 'a/b' }],
  ])('refuses %s as the plugin does', async (_, conf, env) => {
    const { stdout } = await runPlugin(plugin, { env: { ...ENV, ...env }, stdin: () => conf })
    const { cniVersion } = JSON.parse(stdout)
    let said = ''
    try {
      accept(conf, env)
    } catch (error) {
      said = encodeError({ cniVersion, ...toErrorDocument(error) })
    }
    expect(said).toBe(stdout)
  })

  it('refuses another command', () => {
    expect(() => accept('{"cniVersion":"1.0.0","name":"a"}', { CNI_COMMAND: 'DEL' })).toThrow('DEL')
  })

  it.each([
    ['an empty result where there is none', undefined, '1.1.0', '{"cniVersion":"1.1.0"}'],
    [
      'one of another version in that of the call',
      { cniVersion: '0.4.0', ips: [{ version: '4', address: '10.0.0.2/24' }] },
      '1.0.0',
      '{"cniVersion":"1.0.0","ips":[{"address":"10.0.0.2/24"}]}',
    ],
  ])('passes on %s', (_, prevResult, cniVersion, printed) => {
    const text = accept(JSON.stringify({ cniVersion, name: 'a', prevResult })).passedOn()
    expect(JSON.parse(text)).toEqual(JSON.parse(printed))
  })

  it('passes on the rest as it came', () => {
    const prev = '{ "cniVersion":"1.1.0", "big":12345678901234567890 }'
    expect(accept(`{"cniVersion":"1.1.0","name":"a","prevResult":${prev}}`).passedOn()).toBe(prev)
  })

  it('throws for what is no result', () => {
    expect(() => accept('{"cniVersion":"1.1.0","name":"a","prevResult":7}').passedOn()).toThrow('prevResult')
  })
})
