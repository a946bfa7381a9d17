import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { root } from '../exec.ts'

/** Compiler messages of misuses: each says what to do. */
const misuses = [
  {
    what: 'a misspelt member of the configuration',
    code: `import { definePlugin, netConf } from '@cni/skel'
import * as z from 'zod/mini'
definePlugin({ name: 'p', config: netConf({ mtu: z.int() }), add: (c) => ({ mtu: c.conf.mtuu }) })`,
    says: ["'mtuu' does not exist", "Did you mean 'mtu'?"],
  },
  {
    what: 'an nftables redirect without a protocol',
    code: `import { base, nftRuleset } from '@cni/nftables/rules'
nftRuleset('inet', { t: { out: base('nat', 'output', -100) } }, (t) => [t.t.on('out').redirect(15001)])`,
    says: [".l4proto('tcp')"],
  },
  {
    what: 'an nftables masquerade to a port without a protocol',
    code: `import { base, nftRuleset } from '@cni/nftables/rules'
nftRuleset('inet', { t: { out: base('nat', 'postrouting', 100) } }, (t) => [t.t.on('out').masquerade(15001)])`,
    says: [".l4proto('tcp')"],
  },
  {
    what: 'an nftables tproxy without a protocol',
    code: `import { base, nftRuleset } from '@cni/nftables/rules'
nftRuleset('inet', { t: { pre: base('filter', 'prerouting', -150) } }, (t) => [t.t.on('pre').tproxy('ip', 15006)])`,
    says: [".l4proto('tcp')"],
  },
  {
    what: 'an iptables redirect without a protocol',
    code: `import { ruleset } from '@cni/iptables'
ruleset({ nat: [] }, (t) => [t.nat.on('OUTPUT').redirect(15001)])`,
    says: [".proto('tcp')"],
  },
  {
    what: 'an iptables redirect behind the negation of a protocol',
    code: `import { ruleset } from '@cni/iptables'
ruleset({ nat: [] }, (t) => [t.nat.on('OUTPUT').not.proto('udp').redirect(15001)])`,
    says: [".proto('tcp')"],
  },
  {
    what: 'an iptables tproxy without a protocol',
    code: `import { ruleset } from '@cni/iptables'
ruleset({ mangle: [] }, (t) => [t.mangle.on('PREROUTING').tproxy({ port: 15006 })])`,
    says: [".proto('tcp')"],
  },
  {
    what: 'an async body of netns.run',
    code: `import { netns } from '@cni/netns'
export const text = netns.run('host', async () => 'text')`,
    says: ['synchronous', 'await them outside'],
  },
  {
    what: 'c.state.write without a state',
    code: `import { definePlugin } from '@cni/skel'
definePlugin({ name: 'p', add(c) { c.state.write({ mark: 1 }); return {} } })`,
    says: ['state: attachmentState(schema)'],
  },
  {
    what: 'c.state.read without a state',
    code: `import { definePlugin } from '@cni/skel'
definePlugin({ name: 'p', add: () => ({}), del(c) { c.log.info('mark', { mark: c.state.read()?.mark }) } })`,
    says: ['state: attachmentState(schema)'],
  },
  {
    what: 'c.state.stale without a state',
    code: `import { definePlugin } from '@cni/skel'
definePlugin({ name: 'p', add: () => ({}), gc(c) { for (const { state } of c.state.stale()) c.log.info(String(state.mark)) } })`,
    says: ['state: attachmentState(schema)'],
  },
  {
    what: 'an unknown kind of link',
    code: `import { openRtnl } from '@cni/netns'
export const made = async () => (await openRtnl('host')).addLink({ kind: 'brigde', name: 'cni0' })`,
    says: ['"brigde"', '"bridge"', '"veth"'],
  },
  {
    what: 'an unknown kind of link with options',
    code: `import { openRtnl } from '@cni/netns'
export const made = async () => (await openRtnl('host')).addLink({ kind: 'vlam', name: 'v', parent: 'eth0', vlan: { id: 5 } })`,
    says: ['"vlam"', '"vlan"'],
  },
]

const file = (index: number) => join(root, `scripts/lib/messages/misuse-${index}.ts`)
const texts = new Map(misuses.map(({ code }, index) => [file(index), code]))

/** One program for all: their imports are the same. */
const program = (() => {
  const config = ts.readConfigFile(join(root, 'tsconfig.base.json'), ts.sys.readFile).config
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root)
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (name) => texts.has(name) || fileExists(name)
  host.getSourceFile = (name, language) => {
    const text = texts.get(name)
    return text === undefined ? getSourceFile(name, language) : ts.createSourceFile(name, text, language, true)
  }
  return ts.createProgram([...texts.keys()], options, host)
})()

test.each(misuses.map((misuse, index) => ({ ...misuse, index })))(
  '$what: the compiler says what to do',
  ({ index, says }) => {
    const source = program.getSourceFile(file(index))
    const printed = program
      .getSemanticDiagnostics(source)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
      .join('\n')
    for (const words of says) expect(printed).toContain(words)
    if (process.env.SHOW) console.log(printed)
  },
)
