import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InstallEvent, InstallerOptions } from '@cni/installer'

/** Plugin list of Calico, as Calico's own installer writes it. */
export const calico = `${JSON.stringify(
  { cniVersion: '0.3.1', name: 'k8s-pod-network', plugins: [{ ipam: { type: 'calico-ipam' }, type: 'calico' }] },
  null,
  2,
)}\n`
export const bridge = '{"name":"minikube","type":"bridge","bridge":"bridge"}'
/** The single configuration `bridge`, converted to a list. */
export const listOfBridge = `{
  "cniVersion": "0.3.1",
  "name": "minikube",
  "plugins": [
    ${bridge}
  ]
}
`

/** Temporary folders that simulate a node. */
export interface FakeNode extends Disposable {
  readonly root: string
  readonly options: InstallerOptions
  readonly events: InstallEvent[]
  path(...parts: string[]): string
  write(path: string, text: string, mode?: number): void
  read(path: string): string
  /** All files of the simulated node, with their contents. */
  files(): Record<string, string>
}

/** Creates folders that simulate a node. With `net` null there is no CNI network folder. */
export function fakeNode(net: Record<string, string> | null = { '10-calico.conflist': calico }, at?: string): FakeNode {
  const root = at ?? mkdtempSync(join(tmpdir(), 'cni-installer-'))
  const path = (...parts: string[]): string => join(root, ...parts)
  for (const folder of ['bin', 'src', 'sa', 'run']) mkdirSync(path(folder), { recursive: true })
  const node: FakeNode = {
    root,
    events: [],
    path,
    write(name, text, mode) {
      writeFileSync(path(name), text)
      if (mode !== undefined) chmodSync(path(name), mode)
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    files() {
      // Skips named pipes, because reading one would not end.
      const entries = readdirSync(root, { recursive: true, withFileTypes: true })
      const all = entries.filter((one) => one.isFile() || one.isSymbolicLink())
      return Object.fromEntries(
        all
          .map(({ parentPath, name }) => [join(parentPath, name).slice(root.length + 1), ''])
          .map(([name]) => [
            name,
            existsSync(path(name ?? '')) ? readFileSync(path(name ?? ''), 'latin1') : 'dangling',
          ]),
      )
    },
    options: {
      plugin: { cniVersion: '0.3.1', name: 'mesh', type: 'mesh', port: 15001 },
      netDir: path('net'),
      binDirs: [path('bin')],
      sourceDir: path('src'),
      kubeconfig: {
        path: path('run', 'kubeconfig'),
        server: 'https://10.110.0.1:443',
        tokenFile: path('sa', 'token'),
        caFile: path('sa', 'ca.crt'),
      },
      recordDirs: [path('records')],
      cacheDirs: [path('cache')],
      observe: (event) => node.events.push(event),
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
  node.write('src/mesh', 'plugin v1', 0o755)
  node.write('src/mesh-lib.so', 'library v1', 0o644)
  node.write('sa/token', 'tok.en')
  node.write('sa/ca.crt', 'CA')
  if (net !== null) {
    mkdirSync(path('net'), { recursive: true })
    for (const [name, text] of Object.entries(net)) node.write(`net/${name}`, text)
  }
  return node
}

/** Simulates another program that, for `ms` milliseconds, restores its plugin list after every change. */
export async function keepReverting(node: FakeNode, ms: number): Promise<void> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    revert(node)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

/** Restores Calico's plugin list if it was changed. */
export function revert(node: FakeNode): void {
  if (node.read('net/10-calico.conflist') !== calico) node.write('net/10-calico.conflist', calico)
}

/** Waits a limited time for a condition. Returns the milliseconds until it was true. */
export async function eventually(condition: () => boolean, what: string, limit = 5000): Promise<number> {
  const start = performance.now()
  for (;;) {
    try {
      if (condition()) return performance.now() - start
    } catch {
      // The condition reads a file that is being replaced: try again.
    }
    if (performance.now() - start > limit) throw new Error(`not within ${limit} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
