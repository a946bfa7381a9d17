import { hasPod } from './deploy-files.ts'
import type { Kind, ProjectOptions, Rules } from './options.ts'

const DOES: Readonly<Record<Rules, string>> = {
  iptables: 'redirects outgoing TCP of pods to a port of the pod, with iptables rules',
  nftables: 'redirects outgoing TCP of pods to a port of the pod, with an nftables table of its own',
  routes: 'blocks networks for pods, with routes',
}
const IS: Readonly<Record<Kind, string>> = {
  chained: 'A chained CNI plugin: it runs after the plugins of any network.',
  main: 'A main CNI plugin: it creates the interface of pods, with addresses of an IPAM plugin.',
  thick: 'A chained CNI plugin with a daemon: the executable forwards its calls to the daemon.',
  ipam: 'An IPAM plugin for CNI: main plugins such as bridge get the addresses of pods from it.',
}

const NEEDS: Readonly<Partial<Record<Kind, string>>> = {
  main: '\n`npm run conformance` needs `host-local` in `/opt/cni/bin` or `/usr/lib/cni` (Debian: `containernetworking-plugins`).\n',
  ipam: '\n`npm run test:kernel` needs `bridge` in `/opt/cni/bin` or `/usr/lib/cni` (Debian: `containernetworking-plugins`).\n',
}

/** Text of a new project's README. It lists the project's files, and commands in the order of their use. */
export function readmeOf(options: ProjectOptions): string {
  const { name, kind, rules, agent } = options
  const files = [
    ...(rules === undefined
      ? [
          ['src/ranges.ts', 'the ranges of the configuration, and the free addresses in them'],
          ['src/leases.ts', 'the leases: one file for each address'],
        ]
      : [['src/rules.ts', 'writes, verifies and removes the rules in a pod; its configuration']]),
    ['src/plugin.ts', `the plugin: ADD, CHECK, DEL${rules === undefined ? ', GC, STATUS' : ''}`],
    ['src/main.ts', 'the process that a container runtime starts'],
    ...(kind === 'thick' ? [['src/daemon-main.ts', 'the daemon; src/shim.ts has the path of its socket']] : []),
    ...(agent ? [['src/agent.ts', 'keeps the plugin and its entry on a node']] : []),
    ['src/*.test.ts', 'tests without root'],
    ['test/', 'tests on the kernel, in throw-away namespaces'],
    ...(hasPod(options) ? [['deploy/daemonset.yaml', 'installs the plugin on every node']] : []),
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
# npm run conformance          # as root: checks the executable against the specification
\`\`\`

npm may warn that it did not run the install scripts of koffi and esbuild. Neither package needs them.
${NEEDS[kind] ?? ''}`
}
