import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { isIptablesError } from '../src/errors.ts'
import type { Iptables } from '../src/iptables.ts'
import { parseSave, saveText } from '../src/parse/saved-tables.ts'
import { type Family, families } from '../src/rules/model.ts'
import { ruleset } from '../src/rules/ruleset.ts'
import { restoreText } from '../src/text/restore-text.ts'
import { inMode, modes, programOf } from './modes.ts'
import { rules } from './proxy-rules.ts'

const foreign =
  '*nat\n:OTHER - [0:0]\n-A OUTPUT -p udp -j OTHER\n-A OTHER -j RETURN\nCOMMIT\n*filter\n-A INPUT -p tcp -m tcp --dport 9 -j DROP\nCOMMIT\n'

describe.each(modes)('on $mode', (mode) => {
  const { backend } = mode
  const open = (pod: Netns, signal?: AbortSignal): Iptables => inMode(mode, { netns: pod, signal })

  /** Runs the real restore program, as another process would. */
  async function restore(pod: Netns, input: string, family: Family = 'ipv4'): Promise<void> {
    await netns.exec(pod, [programOf(backend, family, 'restore'), '--noflush'], {
      input,
    })
  }

  /** Rules of the kernel, without empty built-in chains. */
  const dump = async (ipt: Iptables, family: Family) => saveText(parseSave(await ipt.save(family), family))

  test('apply writes and verifies, then writes nothing the second time, and remove leaves nothing', async () => {
    await using pod = await tempNetns()
    const ipt = open(pod)
    expect(await ipt.apply(rules)).toMatchObject({ plan: 'fresh', families: ['ipv4', 'ipv6'], backend })
    await ipt.verify(rules)
    const before = await dump(ipt, 'ipv6')
    expect(before).toContain('-A EX_REDIRECT -p tcp -j REDIRECT --to-ports 15001')
    expect((await ipt.apply(rules)).plan).toBe('unchanged')
    expect(await dump(ipt, 'ipv6')).toBe(before)
    await ipt.remove(rules)
    await ipt.remove(rules)
    for (const family of families) expect(await dump(ipt, family)).toBe('')
  })

  test.for<[string, string]>([
    ['a rule was deleted', '*nat\n-D EX_OUTPUT 2\nCOMMIT\n'],
    ['a rule was added', '*nat\n-I EX_OUTPUT 2 -p icmp -j RETURN\nCOMMIT\n'],
    ['a rule was changed', '*nat\n-R EX_REDIRECT 1 -p tcp -j REDIRECT --to-ports 15002\nCOMMIT\n'],
    ['rules were reordered', '*mangle\n-D EX_DIVERT 1\n-A EX_DIVERT -j MARK --set-mark 1337\nCOMMIT\n'],
    ['a chain was flushed', '*raw\n-F EX_DNS\nCOMMIT\n'],
    ['a jump was removed', '*nat\n-D OUTPUT -j EX_OUTPUT\nCOMMIT\n'],
    ['a jump was added', '*nat\n-I OUTPUT 1 -p icmp -j EX_REDIRECT\nCOMMIT\n'],
    ['a chain was removed', '*raw\n-F OUTPUT\n-F EX_DNS\n-X EX_DNS\nCOMMIT\n'],
    ['everything was flushed', '*nat\n-F\n-X\nCOMMIT\n*mangle\n-F\n-X\nCOMMIT\n*raw\n-F\n-X\nCOMMIT\n'],
  ])('%s: verify throws the difference, apply repairs it and keeps foreign rules', async ([, tampering]) => {
    await using pod = await tempNetns()
    const ipt = open(pod)
    await ipt.apply(rules)
    await restore(pod, foreign)
    await ipt.verify(rules)
    await restore(pod, tampering)
    await expect(ipt.verify(rules)).rejects.toMatchObject({ code: 'DRIFT' })
    const theirs = foreignLines(await dump(ipt, 'ipv4'))
    expect((await ipt.apply(rules)).plan).not.toBe('unchanged')
    await ipt.verify(rules)
    expect(foreignLines(await dump(ipt, 'ipv4'))).toEqual(theirs)
    await ipt.remove(rules)
    expect(foreignLines(await dump(ipt, 'ipv4'))).toEqual(theirs)
    expect(await dump(ipt, 'ipv4')).not.toContain('EX_')
  })

  test('removeChains removes the chains of every table and the jumps to them', async () => {
    await using pod = await tempNetns()
    const ipt = open(pod)
    await ipt.apply(rules)
    await restore(pod, foreign)
    await restore(pod, '*nat\n-A OTHER -p tcp -g EX_REDIRECT\nCOMMIT\n')
    await ipt.removeChains('EX_')
    expect(await dump(ipt, 'ipv4')).not.toContain('EX_')
    expect(foreignLines(await dump(ipt, 'ipv4'))).toHaveLength(4)
    await ipt.removeChains('EX_')
  })

  test('a table that the kernel refuses rolls back everything in both families, and foreign rules stay', async () => {
    await using pod = await tempNetns()
    const ipt = open(pod)
    for (const family of families) await restore(pod, '*mangle\n-A OUTPUT -p udp -j ACCEPT\nCOMMIT\n', family)
    const before = [await dump(ipt, 'ipv4'), await dump(ipt, 'ipv6')]
    const refused = ruleset({ mangle: ['EX_M'], nat: ['EX_N'] }, (t) => [
      t.mangle.on('OUTPUT').jump('EX_M'),
      t.mangle.on('EX_M').setMark(1),
      // CHECKSUM exists only in mangle: it loads, but COMMIT refuses it, here only in IPv6.
      t.nat.on('EX_N').only('ipv6').rawTarget('CHECKSUM', '--checksum-fill'),
    ])
    const error: unknown = await ipt.apply(refused).catch((each: unknown) => each)
    expect(error).toMatchObject({ name: 'IptablesError', code: 'EXIT' })
    // Programs write unmodelled rules in every mode.
    expect(String(error)).toMatch(
      new RegExp(`${programOf(backend, 'ipv6', 'restore')} .* failed with exit code \\d at line \\d`),
    )
    expect([await dump(ipt, 'ipv4'), await dump(ipt, 'ipv6')]).toEqual(before)
  })

  test('repeating an apply repairs the state after a kill between two tables', async () => {
    await using pod = await tempNetns()
    const ipt = open(pod)
    const text = restoreText(rules, 'ipv4')
    const secondCommit = text.indexOf('COMMIT', text.indexOf('*nat'))
    // At the kill, the first table is committed and the second is only partly read.
    await killAfter(pod, text.slice(0, secondCommit), () => dump(ipt, 'ipv4'))
    expect(await dump(ipt, 'ipv4')).toMatch(/^\*mangle(?!.*\*nat)/s)
    await expect(ipt.verify(rules)).rejects.toMatchObject({ code: 'DRIFT' })
    expect((await ipt.apply(rules)).plan).toBe('reconcile')
    await ipt.verify(rules)
  })

  test('undo restores the previous state: nothing, or the drift', async () => {
    await using pod = await tempNetns()
    const undo: (() => unknown)[] = []
    const inHandler = inMode(mode, { netns: pod, undo: (fn) => undo.push(fn) })
    await inHandler.apply(rules)
    await undo.pop()?.()
    for (const family of families) expect(await dump(inHandler, family)).toBe('')
    await inHandler.apply(rules)
    await restore(pod, '*nat\n-D OUTPUT -j EX_OUTPUT\n-I EX_REDIRECT 1 -j RETURN\nCOMMIT\n')
    const drifted = await dump(inHandler, 'ipv4')
    await inHandler.apply(rules)
    await undo.pop()?.()
    expect(await dump(inHandler, 'ipv4')).toBe(drifted)
  })

  test('an abort leaves nothing at any point; an abort after the end changes nothing', async () => {
    await using pod = await tempNetns()
    const outcomes: unknown[] = []
    for (const turns of [0, 1, 2, 5, 20]) {
      const controller = new AbortController()
      const running = open(pod, controller.signal).apply(rules)
      for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      const outcome = await running.then(
        () => 'applied',
        (error: unknown) => (isIptablesError(error) ? error.code : error),
      )
      outcomes.push(outcome)
      if (outcome === 'applied') {
        await open(pod).verify(rules)
        await open(pod).remove(rules)
      }
      for (const family of families) expect(await dump(open(pod), family)).toBe('')
    }
    expect(outcomes[0]).toBe('ABORTED')
    expect(outcomes.filter((outcome) => outcome !== 'ABORTED' && outcome !== 'applied')).toEqual([])
  })

  test('a namespace with IPv6 disabled gets IPv6 rules, because IPv6 may be enabled later', async () => {
    await using pod = await tempNetns()
    await netns.exec(pod, ['sysctl', '-qw', 'net.ipv6.conf.all.disable_ipv6=1'])
    expect((await open(pod).apply(rules)).families).toEqual(['ipv4', 'ipv6'])
    await open(pod).verify(rules)
  })

  /** Starts a restore, writes a part of the text, waits for the first table, and kills the program. */
  async function killAfter(pod: Netns, input: string, look: () => Promise<string>): Promise<void> {
    const { spawn } = process.getBuiltinModule('node:child_process')
    const child = netns.run(pod, () => {
      const started = spawn(`${backend}-restore`, ['--noflush'], { stdio: ['pipe', 'ignore', 'ignore'] })
      return { started }
    }).started
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.stdin.write(input)
    // The program reads 4096 bytes at a time. Comment lines push the first table through.
    child.stdin.write(`${'#'.repeat(99)}\n`.repeat(200))
    const deadline = Date.now() + 10_000
    while ((await look()) === '' && Date.now() < deadline);
    child.kill('SIGKILL')
    await ended
  }
})

/** Rules outside the test's ruleset, in order. */
function foreignLines(text: string): string[] {
  return text.split('\n').filter((line) => /OTHER|--dport 9 /.test(line) && !line.includes('EX_'))
}
