import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSave } from '../src/parse/snapshot.ts'
import type { Packet } from '../src/trace/packet.ts'
import { packetText } from '../src/trace/packet-text.ts'
import { type Trace, trace } from '../src/trace/trace.ts'

/** Rule sets per back end; four packets are sent through each. */
const rulesets = Number(process.env.CNI_TRACE_RULESETS ?? 40)
const seed = Number(process.env.CNI_TRACE_SEED ?? 20)

const ports = [53, 80, 8080, 15001]
const local = ['10.9.0.1', '10.8.0.2']

test.for(['nft', 'legacy'] as const)(
  'on %s every rule counts the packets that the trace sends to it',
  { timeout: 60_000 + rulesets * 1000 },
  async (backend) => {
    await using pod = await tempNetns()
    await using peer = await tempNetns()
    await connect(pod, peer)
    await using listeners = await child(pod, listen)
    await using inPod = await child(pod, send)
    await using inPeer = await child(peer, send)
    await listeners.ask({ ports })
    const cases = fc.sample(fc.tuple(anyRules, fc.array(anyPacket, { minLength: 4, maxLength: 4 })), {
      numRuns: rulesets,
      seed,
    })
    let sport = 10_000
    let decided = 0
    let rulesHit = 0
    const disagreements: string[] = []
    for (const [text, packets] of cases) {
      for (const drawn of packets) {
        const packet: Packet = { ...drawn, sport: ++sport }
        const found = trace(parseSave(text, 'ipv4'), packet)
        const second = loopedBack(text, found)
        if (!isDecided(found) || (second !== undefined && !isDecided(second))) continue
        // A connection that is set up is more than its first packet.
        if (packet.protocol === 'tcp' && (second !== undefined || packet.in !== undefined)) continue
        const rejected = [found, second].some((each) => each?.verdict === 'REJECT')
        decided++
        await netns.exec(pod, [`iptables-${backend}-restore`], { input: text })
        await (packet.in === undefined ? inPod : inPeer).ask(packet)
        const saved = await netns.exec(pod, [`iptables-${backend}-save`, '-c'])
        const seen = counters(saved.stdout, rejected)
        const expected = predicted(text, [found, second], rejected)
        rulesHit += expected.filter((line) => !line.startsWith('0 ')).length
        if (JSON.stringify(seen) !== JSON.stringify(expected)) {
          const differing = expected.flatMap((line, i) =>
            line === seen[i] ? [] : [`traced ${line}, kernel ${seen[i]}`],
          )
          disagreements.push([packetText(packet), ...differing, text].join('\n'))
        }
      }
    }
    expect(disagreements).toEqual([])
    // Else the comparison would prove little.
    expect(decided).toBeGreaterThan(rulesets * 2)
    expect(rulesHit).toBeGreaterThan(decided)
    if (process.env.CNI_TRACE_RULESETS !== undefined) process.stderr.write(`${backend}: ${decided} cases\n`)
  },
)

/** A rule that only counts or logs may be left open without an undecided end. */
const isDecided = ({ verdict, path }: Trace) =>
  verdict !== 'undecided' && path.every(({ matched }) => matched !== undefined)

/** A packet that was sent to this machine itself comes in on lo, with the connection and the mark it has. */
function loopedBack(text: string, { packet, verdict, destination, mark, connmark, path }: Trace): Trace | undefined {
  const { address = '', port } = destination
  if (packet.in !== undefined || verdict !== 'ACCEPT') return undefined
  if (!address.startsWith('127.') && !local.includes(address)) return undefined
  const untracked = path.some(({ rule, matched }) => matched === true && rule.endsWith('-j CT --notrack'))
  const { out: _, uid: _uid, gid: _gid, ...rest } = packet
  return trace(parseSave(text, 'ipv4'), {
    ...rest,
    dst: address,
    in: 'lo',
    ...(port === undefined ? {} : { dport: port }),
    ...(mark === undefined ? {} : { mark }),
    ...(connmark === undefined ? {} : { connmark }),
    ...(untracked ? { state: 'UNTRACKED' } : {}),
  })
}

/** `packets table chain index` of every rule, as the trace has it. */
function predicted(text: string, traces: readonly (Trace | undefined)[], rejected: boolean): string[] {
  const counts = new Map<string, number>()
  for (const step of traces.flatMap((each) => each?.path ?? [])) {
    if (step.matched !== true) continue
    const key = `${step.table} ${step.chain} ${step.index}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return lines(text, rejected, (key) => counts.get(key) ?? 0)
}

/** The same, as the kernel counted. */
const counters = (saved: string, rejected: boolean) => lines(saved, rejected, (_, line) => /^\[(\d+):/.exec(line)?.[1])

/** Of a rejected packet only what the ICMP error that it causes does not count in. */
function lines(
  text: string,
  rejected: boolean,
  count: (key: string, line: string) => number | string | undefined,
): string[] {
  const out: string[] = []
  const indexes = new Map<string, number>()
  let table = ''
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) table = line.slice(1)
    const chain = /(?:^|\] )-A (\S+)/.exec(line)?.[1]
    if (chain === undefined) continue
    const place = `${table} ${chain}`
    const index = (indexes.get(place) ?? 0) + 1
    indexes.set(place, index)
    if (!rejected || /-p (tcp|udp)/.test(line)) out.push(`${count(`${place} ${index}`, line)} ${place} ${index}`)
  }
  return out.sort()
}

// rules and packets

const not = fc.constantFrom('', '', '! ')
const values = fc.constantFrom
const condition = (option: string, value: fc.Arbitrary<unknown>, before = '') =>
  fc.tuple(not, value).map(([no, text]) => `${before}${no}${option} ${text}`)
const anyMark = values('0x1', '0x2', '0x1/0x3', '0x4/0xff', '0x0/0x1')
const anywhere = [
  condition('-s', values('10.9.0.1/32', '10.8.0.0/16', '10.0.0.0/8', '127.0.0.1/32')),
  condition('-d', values('127.0.0.0/8', '10.9.0.5/32', '10.9.0.0/24', '10.8.0.2/32', '10.9.0.1/30', '127.0.0.1/32')),
  condition('--mark', anyMark, '-m mark '),
  condition(
    '--ctstate',
    values('NEW', 'ESTABLISHED,RELATED', 'INVALID', 'UNTRACKED', 'NEW,DNAT', 'DNAT'),
    '-m conntrack ',
  ),
  condition('--dst-type', values('LOCAL', 'MULTICAST', 'LOCAL,MULTICAST'), '-m addrtype '),
  condition('--src-type', values('LOCAL'), '-m addrtype '),
]
const tracked = condition('--mark', anyMark, '-m connmark ')
const owner = [
  condition('--uid-owner', values(0, 1000, 1337, '1000-1400'), '-m owner '),
  condition('--gid-owner', values(0, 1000, 1337), '-m owner '),
  values('-m owner --socket-exists', '-m owner ! --socket-exists'),
]
const portMatch = fc.oneof(
  condition('--dport', values(...ports, '80:8080', '1:1024')),
  condition('--sport', values('10000:30000', 53)),
)
const multiport = condition('--dports', values('53,80', '80:90,15001', '8080'), '-m multiport ')

const tables = {
  raw: ['PREROUTING', 'OUTPUT'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
}
type Name = keyof typeof tables
const setMark = [
  values(
    'MARK --set-xmark 0x1/0xffffffff',
    'MARK --set-xmark 0x2/0x2',
    'MARK --set-xmark 0x4/0x0',
    'MARK --and-mark 0x1',
  ),
]
const connmark = values(
  'CONNMARK --set-xmark 0x1/0xff',
  'CONNMARK --save-mark',
  'CONNMARK --restore-mark --nfmask 0x3 --ctmask 0xff',
)

/** Own chains jump to the next one only, but for `C3`, which is called by goto alone. */
const own = ['C1', 'C2', 'C3']

function anyRule(table: Name, chain: string): fc.Arbitrary<string> {
  const outgoing = chain === 'OUTPUT' || chain === 'POSTROUTING'
  const incoming = ['PREROUTING', 'INPUT', 'FORWARD'].includes(chain)
  const matches = [
    ...anywhere,
    ...(table === 'raw' ? [] : [tracked]),
    ...(outgoing ? [...owner, condition('-o', values('lo', 'dum0', 'dum+', 'eth0'))] : []),
    ...(incoming ? [condition('-i', values('lo', 'veth0', 've+'))] : []),
  ]
  const next = own.slice(own.indexOf(chain) + 1)
  const jumps = next.flatMap((name) => [`-j ${name}`, `-j ${name}`, `-g ${name}`])
  const simple = values('-j ACCEPT', '-j RETURN', '-j RETURN', '', ...(jumps.length > 0 ? jumps : ['-j RETURN']))
  const target: fc.Arbitrary<string>[] = [simple, simple]
  if (table === 'raw') target.push(values('-j CT --notrack', '-j CT --zone 5', '-j DROP'))
  if (table === 'mangle') target.push(...[...setMark, connmark].map((each) => each.map((text) => `-j ${text}`)))
  if (table === 'filter') target.push(values('-j DROP', '-j REJECT'))
  const nat = table === 'nat' && (chain === 'PREROUTING' || chain === 'OUTPUT')
  const protocol = fc.tuple(values('tcp', 'udp', 'udp'), portMatch, fc.integer({ min: 0, max: 3 }), multiport)
  return fc
    .tuple(
      fc.option(protocol),
      fc.subarray(matches, { maxLength: 2 }).chain((some) => fc.tuple(...some)),
      fc.oneof(...target),
    )
    .chain(([proto, texts, to]) => {
      const words = ['-A', chain]
      if (proto !== null) {
        const [name, port, kind, list] = proto
        words.push(`-p ${name}`, kind === 0 ? '' : kind === 3 ? list : `-m ${name} ${port}`)
      }
      // Several matches of one kind are as good as one.
      words.push(
        ...texts.filter(
          (text, i) => !/^(! )?-/.test(text) || texts.findIndex((each) => kindOf(each) === kindOf(text)) === i,
        ),
      )
      const rewriting =
        proto === null
          ? ['-j DNAT --to-destination 10.9.0.5']
          : [
              '-j REDIRECT --to-ports 15001',
              '-j DNAT --to-destination 10.9.0.7:8080',
              '-j DNAT --to-destination 10.8.0.2:80',
            ]
      return (nat ? values(to, ...rewriting) : fc.constant(to)).map((last) =>
        [...words, last].filter((word) => word !== '').join(' '),
      )
    })
}

const kindOf = (text: string) => /-[a-z] ?(?:[a-z]+ )?/.exec(text)?.[0]

const anyTable = (table: Name): fc.Arbitrary<string> =>
  fc
    .tuple(
      ...[...tables[table], ...own].map((chain) =>
        fc.array(anyRule(table, chain), { maxLength: chain === 'C1' ? 4 : 3 }),
      ),
    )
    .chain((chains) =>
      (table === 'filter' ? values('ACCEPT', 'ACCEPT', 'DROP') : values('ACCEPT')).map((policy) =>
        [
          `*${table}`,
          ...tables[table].map((name) => `:${name} ${policy} [0:0]`),
          ...own.map((name) => `:${name} - [0:0]`),
          ...chains.flat(),
          'COMMIT\n',
        ].join('\n'),
      ),
    )

const anyRules = fc
  .tuple(anyTable('raw'), anyTable('mangle'), anyTable('nat'), anyTable('filter'))
  .map((all) => all.join(''))

const dport = values(...ports)
const ids = values(0, 1000, 1337)
const anyPacket: fc.Arbitrary<Packet> = fc.oneof(
  fc.record({
    protocol: values('udp', 'udp', 'tcp'),
    src: fc.constant('10.9.0.1'),
    dst: values('10.9.0.5', '10.9.0.6'),
    dport,
    uid: ids,
    gid: ids,
    out: fc.constant('dum0'),
    local: fc.constant(local),
  }),
  values('127.0.0.1', '127.0.0.9', '10.9.0.1').chain((dst) =>
    fc.record({
      protocol: fc.constant('udp'),
      src: fc.constant(dst.startsWith('127.') ? '127.0.0.1' : dst),
      dst: fc.constant(dst),
      dport,
      uid: ids,
      gid: ids,
      local: fc.constant(local),
    }),
  ),
  values('10.8.0.2', '10.9.0.1', '10.9.0.5').chain((dst) =>
    fc.record({
      protocol: fc.constant('udp'),
      src: fc.constant('10.8.0.1'),
      dst: fc.constant(dst),
      dport,
      in: fc.constant('veth0'),
      // The first address is that of veth0.
      local: fc.constant(['10.8.0.2', '10.9.0.1']),
      ...(dst === '10.9.0.5' ? { out: fc.constant('dum0') } : {}),
    }),
  ),
)

// the machine

async function connect(pod: Netns, peer: Netns): Promise<void> {
  const ip = (where: Netns, line: string) => netns.exec(where, ['ip', ...line.split(' ')])
  for (const key of ['all.disable_ipv6=1', 'default.disable_ipv6=1']) {
    for (const where of [pod, peer]) await netns.exec(where, ['sysctl', '-qw', `net.ipv6.conf.${key}`])
  }
  await ip(peer, 'link add dum1 type veth peer name dum0')
  await ip(peer, 'link set dum1 up')
  await ip(peer, `link set dum0 netns ${pod.path}`)
  await ip(pod, 'addr add 10.9.0.1/24 dev dum0')
  await ip(pod, 'link set dum0 up')
  // Nothing there answers, nothing is asked.
  for (const last of [5, 6, 7]) await ip(pod, `neigh add 10.9.0.${last} lladdr 02:00:00:00:00:01 dev dum0`)
  await ip(peer, 'link add veth0 type veth peer name veth1')
  await ip(peer, `link set veth0 netns ${pod.path}`)
  await ip(pod, 'addr add 10.8.0.2/24 dev veth0')
  await ip(pod, 'link set veth0 up')
  await ip(peer, 'addr add 10.8.0.1/24 dev veth1')
  await ip(peer, 'link set veth1 up')
  await ip(peer, 'route add default via 10.8.0.2')
  await netns.exec(pod, ['sysctl', '-qw', 'net.ipv4.ip_forward=1'])
}

/** A program in a namespace that answers each line with one. */
async function child(
  where: Netns,
  script: string,
): Promise<AsyncDisposable & { ask(question: unknown): Promise<void> }> {
  const program = netns.run(where, () => ({
    process: spawn(process.execPath, ['-e', script], { stdio: ['pipe', 'pipe', 'inherit'], env: {} }),
  })).process
  const answers = createInterface({ input: program.stdout })
  const ended = once(program, 'exit')
  return {
    async ask(question) {
      const answer = once(answers, 'line', { signal: AbortSignal.timeout(10_000) })
      program.stdin.write(`${JSON.stringify(question)}\n`)
      await answer
    },
    async [Symbol.asyncDispose]() {
      program.kill('SIGKILL')
      await ended
    },
  }
}

const listen = `
const dgram = require('node:dgram')
require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  for (const port of JSON.parse(line).ports) await new Promise((done) => dgram.createSocket('udp4').bind(port, done))
  console.log('ok')
})`

/** Sends one packet as some user; an error (a DROP is EPERM) is as good as none. */
const send = `
const dgram = require('node:dgram')
const net = require('node:net')
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const packet = JSON.parse(line)
  process.setegid(packet.gid ?? 0)
  process.seteuid(packet.uid ?? 0)
  let answered = false
  const done = (socket) => {
    if (answered) return
    answered = true
    socket.destroy ? socket.destroy() : socket.close()
    process.seteuid(0)
    process.setegid(0)
    console.log('sent')
  }
  if (packet.protocol === 'tcp') {
    const socket = net.connect({ host: packet.dst, port: packet.dport, localAddress: packet.src, localPort: packet.sport })
    socket.on('error', () => done(socket))
    setImmediate(() => setImmediate(() => done(socket)))
  } else {
    const socket = dgram.createSocket('udp4')
    socket.on('error', () => done(socket))
    socket.bind(packet.sport, () => socket.send('x', packet.dport, packet.dst, () => done(socket)))
  }
})`
