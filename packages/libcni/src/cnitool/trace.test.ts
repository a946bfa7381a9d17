import { CniError } from '@cni/types'
import { describe, expect, test } from 'vitest'
import { cnitoolWorld, result } from '../../test/cnitool-world.ts'
import { containerIDOf } from './settings.ts'

const world = cnitoolWorld()
const { cnitool } = world
const who = `${containerIDOf('/ns')}/eth0`

const plugins = {
  a: { ADD: result },
  b: { ADD: { ...result, routes: [{ dst: '0.0.0.0/0' }] } },
}
const bad = { a: { ADD: result }, b: () => Promise.reject(new CniError(7, 'bad', { details: 'dd' })) }
const settled = (text: string) => text.replaceAll(/\d+\.\d ms/g, 'T ms')

describe.each(['--trace', '--verbose', '-v'])('%s', (flag) => {
  test('prints time and changes of each plugin on stderr, and only the result on stdout', async () => {
    const { stdout, stderr } = await cnitool(['add', 'pods', '/ns', flag], { plugins })
    expect(stdout).toBe((await cnitool(['add', 'pods', '/ns'], { plugins })).stdout)
    expect(settled(stderr)).toBe(
      `ADD a ${who}: T ms
  + ips[0] {"address":"10.0.0.2/24"}
  + vendor {"kept":true}
ADD b ${who}: T ms
  + routes[0] {"dst":"0.0.0.0/0"}
total T ms, of which in plugins T ms
`,
    )
  })
})

describe('a traced run', () => {
  test('reports a plugin without changes, a failing plugin, and other verbs', async () => {
    const same = await cnitool(['add', 'pods', '/ns', '-v'])
    expect(settled(same.stderr)).toContain(`ADD b ${who}: T ms, result unchanged\n`)
    const failed = await cnitool(['add', 'pods', '/ns', '-v'], { plugins: bad })
    expect(settled(failed.stderr)).toMatch(/ADD b \S+: T ms, failed with code 7: bad; dd\ntotal .*\nError: plugin /)
    const deleted = await cnitool(['del', 'pods', '/ns', '-v'])
    expect(settled(deleted.stderr)).toMatch(/^DEL b \S+: T ms\nDEL a \S+: T ms\ntotal/)
    const asked = await cnitool(['version', 'a', '-v'])
    expect(settled(asked.stderr)).toMatch(/^VERSION a: T ms\ntotal/)
  })

  test('is one document with --json', async () => {
    const { stdout, stderr } = await cnitool(['add', 'pods', '/ns', '--trace', '--json'], { plugins })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      command: 'add',
      network: 'pods',
      durationMs: expect.any(Number),
      plugins: [
        {
          command: 'ADD',
          type: 'a',
          path: '/fake/a',
          containerID: containerIDOf('/ns'),
          ifName: 'eth0',
          durationMs: 0,
          exitCode: 0,
          changes: [
            { op: 'add', path: 'ips[0]', after: { address: '10.0.0.2/24' } },
            { op: 'add', path: 'vendor', after: { kept: true } },
          ],
        },
        expect.objectContaining({ changes: [{ op: 'add', path: 'routes[0]', after: { dst: '0.0.0.0/0' } }] }),
      ],
      result: { ...result, routes: [{ dst: '0.0.0.0/0' }] },
    })
  })

  test('is one document too if it fails, with the error and the earlier plugins', async () => {
    const run = await cnitool(['add', 'pods', world.temp.dir, '--trace', '--json'], { plugins: bad })
    expect(run).toMatchObject({ exitCode: 1, stderr: '' })
    const { plugins: ran, error } = JSON.parse(run.stdout)
    expect(ran).toMatchObject([
      { type: 'a', exitCode: 0 },
      { type: 'b', error: { code: 7, msg: 'bad; dd' } },
    ])
    expect(error).toMatchObject({ cniVersion: '1.0.0', code: 7, msg: 'plugin type="b" failed (add): bad; dd' })
    expect(error.details).toContain('undo them with: cnitool del')
  })

  test('continues after a plugin without a result', async () => {
    const { stderr } = await cnitool(['add', 'pods', '/ns', '-v'], { plugins: { a: () => 'words', b: {} } })
    expect(settled(stderr)).toMatch(/^ADD a \S+: T ms\ntotal .*\nError: plugin type="a" failed \(add\): /)
  })
})
