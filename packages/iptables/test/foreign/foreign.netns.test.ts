import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { toErrorDocument } from '@cni/types'
import { expect, test } from 'vitest'
import { ruleBuilders } from '../../src/crud/rule-builders.ts'
import { ruleset } from '../../src/rules/ruleset.ts'
import { inMode, modes } from '../modes.ts'

/** Typical rules of kube-proxy, a network plugin and Docker, with matches that this package does not model. */
const foreign = `*filter
:KUBE-FIREWALL - [0:0]
:KUBE-FORWARD - [0:0]
:net-fw - [0:0]
-A INPUT -j KUBE-FIREWALL
-A FORWARD -m comment --comment "kubernetes forwarding rules" -j KUBE-FORWARD
-A FORWARD -i docker0 ! -o docker0 -j ACCEPT
-A FORWARD -m physdev --physdev-is-bridged -j ACCEPT
-A KUBE-FIREWALL ! -s 127.0.0.0/8 -d 127.0.0.0/8 -m comment --comment "block incoming localnet connections" -m conntrack ! --ctstate RELATED,ESTABLISHED,DNAT -j DROP
-A KUBE-FORWARD -m comment --comment "it's a \\"quoted\\" \\\\ -j DROP" -m mark --mark 0x4000/0x4000 -j ACCEPT
-A net-fw -i net+ -m comment --comment "net:8ZoYfO5HKXWbB3pk" -g KUBE-FORWARD
-A net-fw -m recent --update --seconds 60 --hitcount 4 --name SSH --mask 255.255.255.255 --rsource -j DROP
-A net-fw -m string --string "evil \\" quote" --algo bm -j DROP
-A net-fw -p tcp -m bpf --bytecode "4,48 0 0 9,21 0 1 6,6 0 0 1,6 0 0 0" -j LOG --log-prefix "net -j drop: " --log-level 5
COMMIT
*nat
:KUBE-SEP-A - [0:0]
:KUBE-SVC-N - [0:0]
-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SVC-N
-A OUTPUT ! -d 127.0.0.0/8 -m addrtype --dst-type LOCAL -j KUBE-SVC-N
-A KUBE-SEP-A -p tcp -m comment --comment "default/kubernetes:https" -m tcp -j DNAT --to-destination 10.244.0.3:6443
-A KUBE-SVC-N -m comment --comment "default/kubernetes:https -> 10.244.0.3:6443" -m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-A
COMMIT
`

const rules = (port: number) =>
  ruleset({ nat: ['EX_OUTPUT'], filter: ['EX_FILTER'] }, (t) => [
    t.nat.insert('OUTPUT', 1).proto('tcp').jump('EX_OUTPUT'),
    t.nat.on('EX_OUTPUT').proto('tcp').redirect(port),
    t.filter.on('FORWARD').jump('EX_FILTER'),
    t.filter.on('EX_FILTER').state('INVALID').drop(),
  ])

test.for(modes)('$mode: foreign rules stay unchanged byte by byte', async (mode) => {
  const { backend, programs } = mode
  await using pod = await tempNetns()
  const sh = (argv: readonly string[], input = '') =>
    netns.run(pod, () => spawnSync(`${backend}${argv[0]}`, argv.slice(1), { input, encoding: 'utf8' }))
  const save = () => sh(['-save']).stdout.replace(/^[#:].*\n/gm, '')
  expect(sh(['-restore'], foreign)).toMatchObject({ status: 0 })
  const comment = 'two\n-A OUTPUT -j ACCEPT\nCOMMIT\n*nat\nlines'
  expect(sh(['', '-A', 'OUTPUT', '-m', 'comment', '--comment', comment, '-j', 'ACCEPT'])).toMatchObject({ status: 0 })
  const before = save()
  expect(before).toContain(comment)
  const theirs = () => save().replace(/^-A.* EX_.*\n|^-A EX_.*\n/gm, '')
  const ipv4 = { families: ['ipv4'] } as const
  const ipt = inMode(mode, pod, ipv4)

  await ipt.apply(rules(15001))
  const change = await ipt.apply(rules(15002))
  await ipt.verify(rules(15002))
  expect(theirs()).toBe(before)
  await change.undo()
  await ipt.verify(rules(15001))
  const gone = await ipt.removeChains('EX_')
  expect(save()).toBe(before)
  await gone.undo()
  await ipt.verify(rules(15001))
  await ipt.remove(rules(15001))
  expect(save()).toBe(before)

  // Programs cannot restore unmodelled rules as read by netlink.
  const snapshot = await (programs === 'always' ? inMode({ backend, programs }, pod, ipv4) : ipt).snapshot()
  const { filter } = ruleBuilders({ filter: ['net-fw'] })
  const edit = await ipt.transaction((t) => {
    t.renameChain('nat', 'KUBE-SVC-N', 'KUBE-SVC-NEW')
    t.flushChain('filter', 'KUBE-FORWARD')
    t.insertRule(filter.insert('net-fw', 2).drop())
  })
  await edit.undo()
  expect(save()).toBe(before)
  sh(['', '-F', 'KUBE-FORWARD'])
  sh(['', '-F', 'OUTPUT'])
  await ipt.restore(snapshot)
  // Restore text cannot contain a line break. Text after a line break in a comment is never a line of its own.
  const byText = [programs, mode.reads].includes('always')
  expect(save()).toBe(byText ? before.replace(comment, comment.replaceAll('\n', ' ')) : before)
})

test.for(modes)(
  '$mode: a foreign jump to a removed chain is deleted, even if its comment has a line break',
  async (mode) => {
    await using pod = await tempNetns()
    const run = (...argv: string[]) =>
      netns.run(pod, () => spawnSync(`${mode.backend}`, ['-t', 'nat', ...argv], { encoding: 'utf8' }))
    const ipt = inMode(mode, pod, { families: ['ipv4'] })
    await ipt.apply(rules(15001))
    run('-N', 'OTHER')
    for (const chain of ['OUTPUT', 'OTHER']) {
      run('-A', chain, '-m', 'comment', '--comment', 'before', '-j', 'RETURN')
      run('-I', chain, '1', '-m', 'comment', '--comment', 'a\nb', '-j', 'EX_OUTPUT')
    }
    const error = await ipt.verify(rules(15001)).then(undefined, (reason: unknown) => reason)
    expect(toErrorDocument(error).details).toContain('--comment "a\\nb" -j EX_OUTPUT')
    await ipt.removeChains('EX_')
    expect(run('-S', 'OUTPUT').stdout).toBe('-P OUTPUT ACCEPT\n-A OUTPUT -m comment --comment before -j RETURN\n')
    expect(run('-S', 'OTHER').stdout).toBe('-N OTHER\n-A OTHER -m comment --comment before -j RETURN\n')
  },
)

test.for(modes)('$mode: concurrent writes of other programs are not lost', { timeout: 60_000 }, async (mode) => {
  const { backend } = mode
  await using pod = await tempNetns()
  const command = `${backend} -w -t nat`
  const rounds = Number(process.env.CNI_FUZZ_RUNS ?? 40)
  const script = `${command} -N F; for i in $(seq ${rounds}); do for c in OUTPUT F; do
    ${command} -A $c -p tcp -m comment --comment "a$i" -j ACCEPT && ${command} -I $c 1 -m comment --comment "i$i" -j RETURN && echo $c
  done; done`
  // Uses the same lock as this package.
  const env = { ...process.env, XTABLES_LOCKFILE: pod.path }
  const writer = netns.run(pod, () => spawn('bash', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] }))
  let said = ''
  writer.stdout.on('data', (data: Buffer) => {
    said += data.toString()
  })
  const ended = once(writer, 'close')
  await once(writer.stdout, 'data')
  const ipt = inMode(mode, pod, { families: ['ipv4'] })
  const { nat } = ruleBuilders({ nat: ['F', 'EXT'] })
  const jump = nat.on('F').proto('tcp').jump('EXT')
  while (writer.exitCode === null) {
    // Yields to the event loop: netlink never waits, so the exit of the writer would go unnoticed.
    await setImmediate()
    const first = await ipt.apply(rules(1))
    const second = await ipt.apply(rules(2))
    const edit = await ipt.transaction((t) => {
      t.createChain('nat', 'EXT')
      // Inserts the rule twice. The rollback of the second one must not delete a foreign rule in its place.
      t.insertRule(jump)
      t.appendRule(jump)
    })
    await edit.undo()
    await second.undo()
    await first.undo()
    await ipt.apply(rules(3))
    await ipt.remove(rules(3))
  }
  await ended
  const save = await ipt.save('ipv4')
  expect(said.trim().split('\n')).toHaveLength(rounds * 2)
  for (const chain of ['OUTPUT', 'F']) {
    const comments = [...save.matchAll(new RegExp(`^-A ${chain} .*--comment (\\S+) `, 'gm'))].map(([, each]) => each)
    const desired = Array.from({ length: rounds }, (_, i) => [`a${i + 1}`, `i${i + 1}`]).flat()
    expect(comments.toSorted()).toEqual(desired.toSorted())
  }
  expect(save).not.toContain('EX')
})
