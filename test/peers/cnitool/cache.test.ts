import { chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { missing, type World, world } from '../../../packages/libcni/test/e2e/node-world.ts'
import { peer } from '../peers.ts'

const original = peer('cnitool')
const reason = missing ?? original.missing

/** A plugin that logs its calls. */
const recorder = (folder: string, result: object) => `#!/bin/sh
{ echo "$CNI_COMMAND $CNI_CONTAINERID $CNI_NETNS $CNI_IFNAME $CNI_ARGS"; cat; echo; } >>${folder}/log
[ "$CNI_COMMAND" = ADD ] && printf '%s' '${JSON.stringify(result)}'
exit 0
`

describe.runIf(reason === undefined)(`a cache shared with the original${reason ? ` (skipped: ${reason})` : ''}`, () => {
  let w: World
  beforeEach(async () => {
    w = await world()
  })
  afterEach(() => w[Symbol.asyncDispose]())

  const env = () => ({
    CNI_PATH: `${w.files.dir}/bin`,
    CNI_ARGS: 'B=1;A=2',
    CAP_ARGS: '{"zz":{"b":1,"a":"<&>"},"mac":"02:00:00:00:00:01","unused":[1]}',
  })
  const ours = (...argv: string[]) => w.cnitool(argv, env())
  const theirs = (...argv: string[]) => w.original(original.file, argv, env())
  const pairs = [
    ['ours, then theirs', ours, theirs],
    ['theirs, then ours', theirs, ours],
  ] as const

  const results = () => `${w.files.dir}/cache/results`
  const files = () => readdirSync(results()).map((name) => [name, readFileSync(`${results()}/${name}`, 'utf8')])
  const log = () => {
    const text = existsSync(`${w.files.dir}/log`) ? readFileSync(`${w.files.dir}/log`, 'utf8') : ''
    w.files.write('log', '')
    return text
  }

  function setUp(cniVersion: string, result: object = { cniVersion, ips: [{ address: '10.9.0.2/24' }] }) {
    w.files.write('bin/rec', recorder(w.files.dir, result))
    chmodSync(`${w.files.dir}/bin/rec`, 0o755)
    const plugins = [{ type: 'rec', capabilities: { zz: true, mac: true, off: false }, n: 1 }]
    w.files.write(
      'net.d/10.conflist',
      `{"name":"net",\n\t"cniVersion":"${cniVersion}","plugins":${JSON.stringify(plugins)}}\n`,
    )
  }

  test.each(['0.4.0', '1.0.0', '1.1.0'])('cache files have the same name, mode and bytes (%s)', async (version) => {
    setUp(version, {
      cniVersion: version,
      ips: [{ address: '10.9.0.2/24', ...(version < '1' ? { version: '4' } : {}) }],
    })
    expect(await ours('add', 'net', w.pod.path)).toMatchObject({ exitCode: 0, stderr: '' })
    const mine = files()
    const told = log()
    const modes = () => [statSync(results()).mode, ...mine.map(([name]) => statSync(`${results()}/${name}`).mode)]
    const mineModes = modes()
    expect(await theirs('del', 'net', w.pod.path)).toMatchObject({ exitCode: 0, stderr: '' })
    log()
    expect(await theirs('add', 'net', w.pod.path)).toMatchObject({ exitCode: 0, stderr: '' })
    // The original adds `dns: {}` to results before 1.0.0. Ours keeps the plugin's document.
    const theirFiles = files().map(([name, text = '']) => [name, text.replace(',"dns":{}', '')])
    expect(mine).toEqual(theirFiles)
    expect(mineModes).toEqual(modes())
    expect(told).toBe(log())
  })

  test.each(pairs)(
    'one implementation deletes what the other added, with the same result and arguments (%s)',
    async (_, one, other) => {
      setUp('1.0.0')
      expect(await one('add', 'net', w.pod.path)).toMatchObject({ exitCode: 0 })
      log()
      expect(await other('check', 'net', w.pod.path)).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await other('del', 'net', w.pod.path)).toMatchObject({ exitCode: 0, stderr: '' })
      const [check, , del, conf = '{}'] = log().split('\n')
      expect([check?.split(' ')[0], del?.split(' ')[0]]).toEqual(['CHECK', 'DEL'])
      expect(JSON.parse(conf)).toMatchObject({
        prevResult: { cniVersion: '1.0.0', ips: [{ address: '10.9.0.2/24' }] },
        runtimeConfig: { mac: '02:00:00:00:00:01', zz: { a: '<&>', b: 1 } },
      })
      expect(files()).toEqual([])
    },
  )

  test.each(pairs)(
    'one implementation collects what the other added, with the cached arguments (%s)',
    async (_, one, other) => {
      setUp('1.1.0')
      const { exitCode } = await one('add', '-i', 'net1', 'net', w.pod.path)
      expect(exitCode).toBe(0)
      const [first = ''] = log().split('\n')
      expect(first).toMatch(/^ADD cnitool-[\da-f]{20} \S+ net1 B=1;A=2$/)
      const gc =
        other === ours
          ? w.cnitool(['gc', 'net'], { CNI_PATH: env().CNI_PATH })
          : w.original(original.file, ['gc', 'net', w.pod.path], { CNI_PATH: env().CNI_PATH })
      expect(await gc).toMatchObject({ exitCode: 0, stderr: '' })
      const [del, conf = '{}', ask] = log().split('\n')
      expect(del).toBe(first.replace('ADD', 'DEL'))
      expect(JSON.parse(conf)).toMatchObject({ runtimeConfig: { mac: '02:00:00:00:00:01' } })
      expect(ask?.split(' ')[0]).toBe('GC')
      expect(files()).toEqual([])
    },
  )

  test('a file of the original is listed and shown', async () => {
    setUp('1.0.0')
    await theirs('add', 'net', w.pod.path)
    const { stdout } = await ours('cache', 'list')
    expect(stdout).toContain('10.9.0.2/24')
    const shown = JSON.parse((await ours('cache', 'show', w.pod.path)).stdout)
    expect(shown).toMatchObject({
      netns: w.pod.path,
      args: [
        ['B', '1'],
        ['A', '2'],
      ],
      config: { name: 'net' },
    })
  })
})
