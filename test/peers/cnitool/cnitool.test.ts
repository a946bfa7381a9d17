import { readdirSync, readFileSync } from 'node:fs'
import type { RunResult } from '@cni/host'
import { reencodeResult } from '@cni/types'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bridged } from '../../../packages/libcni/test/e2e/conflists.ts'
import { missing, type World, world } from '../../../packages/libcni/test/e2e/node-world.ts'
import { peer } from '../peers.ts'

const original = peer('cnitool')
const reason = missing ?? original.missing

describe.runIf(reason === undefined)(`side by side with the original${reason ? ` (skipped: ${reason})` : ''}`, () => {
  let w: World
  beforeEach(async () => {
    w = await world()
    w.files.write('net.d/bridged.conflist', bridged(`${w.files.dir}/leases`))
  })
  afterEach(() => w[Symbol.asyncDispose]())

  const ours = (...argv: string[]) => w.cnitool(argv)
  const theirs = (...argv: string[]) => w.original(original.file, argv)
  const cached = () => {
    const folder = `${w.files.dir}/cache/results`
    return readdirSync(folder).map((name) => {
      const { result, ...record } = JSON.parse(settled(readFileSync(`${folder}/${name}`, 'utf8')))
      // The original encodes the result again. Ours keeps the plugin's document, with members that the original drops.
      return { name, ...record, result: reencodeResult(result, '1.0.0', '1.0.0') }
    })
  }

  test('add prints and caches the same', async () => {
    const first = await theirs('add', 'bridged', w.pod.path)
    expect(first).toMatchObject({ exitCode: 0, stderr: '' })
    const remembered = cached()
    expect(await theirs('del', 'bridged', w.pod.path)).toMatchObject({ exitCode: 0 })

    const second = await ours('add', 'bridged', w.pod.path)
    expect(second).toMatchObject({ exitCode: 0, stderr: '' })
    expect(settled(second.stdout)).toBe(settled(first.stdout))
    expect(cached()).toEqual(remembered)
  })

  test.each([
    ['ours adds, theirs checks and deletes', ours, theirs],
    ['theirs adds, ours checks and deletes', theirs, ours],
  ])('one implementation continues after the other: %s', async (_, one, other) => {
    const add: RunResult = await one('add', 'bridged', w.pod.path)
    expect(add).toMatchObject({ exitCode: 0 })
    expect(await other('check', 'bridged', w.pod.path)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(await other('del', 'bridged', w.pod.path)).toMatchObject({ exitCode: 0, stdout: '' })
    expect(cached()).toEqual([])
    expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
  })

  test.each([
    [['add', 'gone', '/ns'], 1, 'no net configuration with name "gone" in '],
    [['add', 'bridged', '/nonexist'], 1, 'plugin type="bridge" failed (add): '],
    [['check', 'bridged', '/nonexist'], 1, ''],
    // All our programs exit with 2 for an invalid command line.
    [['add'], 2, ''],
    [['frob'], 2, 'unknown command "frob"'],
  ])('%j fails in the same way', async (argv, exitCode, message) => {
    const [one, other] = [await ours(...argv), await theirs(...argv)]
    expect([one.exitCode, other.exitCode]).toEqual([exitCode, 1])
    expect(one.stderr).toContain(`Error: ${message}`)
    expect(other.stderr).toContain(`Error: ${message}`)
    expect([one.stdout, other.stdout]).toEqual(['', ''])
  })
})

/** Removes what differs between runs: hardware addresses, names of host interfaces, the next free address. */
function settled(text: string): string {
  return text
    .replaceAll(/[\da-f]{2}(:[\da-f]{2}){5}/g, 'MAC')
    .replaceAll(/veth[\da-f]{8}/g, 'VETH')
    .replaceAll(/10\.123\.0\.[2-9]\b/g, '10.123.0.254')
    .replaceAll(/fd00:123::[2-9]\b/g, 'fd00:123::ff')
}
