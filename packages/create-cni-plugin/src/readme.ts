import { hasPod } from './deploy-files.ts'
import type { Kind, ProjectOptions, Rules } from './options.ts'

const DOES: Readonly<Record<Rules, string>> = {
  iptables: 'sends what pods connect to over TCP to a port of the pod, by rules of iptables',
  nftables: 'sends what pods connect to over TCP to a port of the pod, by a table of nftables of its own',
  routes: 'keeps pods from networks, by routes',
}
const IS: Readonly<Record<Kind, string>> = {
  chained: 'A chained CNI plugin: it works behind the plugins of any network.',
  main: 'A main CNI plugin: it makes the interface of pods, with addresses of an IPAM plugin.',
  thick: 'A chained CNI plugin with a daemon: the executable forwards its calls to it.',
  ipam: 'An IPAM plugin for CNI: main plugins such as bridge have the addresses of pods from it.',
}

const NEEDS: Readonly<Partial<Record<Kind, string>>> = {
  main: '\n`npm run conformance` needs `host-local` in `/opt/cni/bin` or `/usr/lib/cni` (Debian: `containernetworking-plugins`).\n',
  ipam: '\n`npm run test:kernel` needs `bridge` in `/opt/cni/bin` or `/usr/lib/cni` (Debian: `containernetworking-plugins`).\n',
}

/** The README of a new project: what is where, and the commands in the order in which one needs them. */
export function readmeOf(options: ProjectOptions): string {
  const { name, kind, rules, agent } = options
  const files = [
    ...(rules === undefined
      ? [
          ['src/ranges.ts', 'the ranges of the configuration, and the free addresses in them'],
          ['src/leases.ts', 'the leases: one file for each address'],
        ]
      : [['src/rules.ts', 'what is written into a pod, compared and taken away; its configuration']]),
    ['src/plugin.ts', `the plugin: ADD, CHECK, DEL${rules === undefined ? ', GC, STATUS' : ''}`],
    ['src/main.ts', 'the process that a container runtime starts'],
    ...(kind === 'thick' ? [['src/daemon-main.ts', 'the daemon; src/shim.ts says where its socket is']] : []),
    ...(agent ? [['src/agent.ts', 'keeps the plugin and its entry on a node']] : []),
    ['src/*.test.ts', 'tests without root'],
    ['test/', 'tests on the kernel, in namespaces that are gone afterwards'],
    ...(hasPod(options) ? [['deploy/daemonset.yaml', 'onto every node']] : []),
  ]
  return `# ${name}

${IS[kind]} It ${rules === undefined ? 'gives one address of each range to a pod' : DOES[rules]}.

| | |
|---|---|
${files.map(([path, what]) => `| \`${path}\` | ${what} |`).join('\n')}

\`\`\`console
$ npm install
$ npm test                     # types, and tests without root
# npm run test:kernel          # as root
$ npm run build                # dist/${name}: one file, for nodes without Node.js
# npm run conformance          # as root: does the executable keep to the specification?
\`\`\`

npm may warn that it did not run the install scripts of koffi and esbuild: neither needs them.
${NEEDS[kind] ?? ''}`
}
