import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exec } from '../exec.ts'
import { Stop } from '../progress.ts'
import { findCommit } from '../released.ts'
import { checkRows } from './check-rows.ts'
import { moveImports } from './move-imports.ts'
import { migrationRows, movedNames } from './page.ts'

/** A change of an example for the new release. The migration page must have a row that contains `now`. */
type Edit = {
  readonly file: string
  readonly now: string
  readonly edits: readonly (readonly [from: string, to: string])[]
}

/** Changes other than moved imports. The script reads the moved imports from the migration page. */
const BY_HAND: readonly Edit[] = [
  {
    file: 'docs/examples/namespaces/neighbours.ts',
    now: "`'route'` · `'netfilter'`",
    edits: [
      ['NETLINK_ROUTE, ', ''],
      ['NETLINK_ROUTE', "'route'"],
    ],
  },
  {
    file: 'docs/examples/links/main-plugin.ts',
    now: "`addLink` of `openRtnl('host')`",
    edits: [
      [
        "await node.addLink({ kind: 'bridge'",
        "using shared = await openRtnl(netns)\n      await shared.addLink({ kind: 'bridge'",
      ],
    ],
  },
  {
    file: 'examples/contiv-proxy/src/result.ts',
    now: '`parseAddress` and `parsePrefix` of `@cni/types/ip`',
    edits: [
      [
        "parseCidr, type Result } from '@cni/types'",
        "type Result } from '@cni/types'\nimport { parsePrefix } from '@cni/types/ip'",
      ],
      [
        'return parseCidr(address).family',
        'const prefix = parsePrefix(address)\n    return prefix && (prefix.bytes.length === 4 ? 4 : 6)',
      ],
    ],
  },
  {
    file: 'docs/examples/recipes/portmap.ts',
    now: "`RuntimeConfig['portMappings'][number]`",
    edits: [
      ['type PortMapping, runtimeConfig', 'type RuntimeConfig, runtimeConfig'],
      ['PortMapping[]', "RuntimeConfig['portMappings'][number][]"],
    ],
  },
  {
    file: 'examples/istio-redirect/demo/ambient/mesh-agent.ts',
    now: '— `startAmbient` makes them',
    edits: [
      ['  ambientMetrics,\n', ''],
      ['  metricsRegistry,\n  podWatches,\n', ''],
      ['  const registry = metricsRegistry()\n', ''],
      ['    watches: podWatches(),\n', ''],
      ['    metrics: ambientMetrics(registry),\n', ''],
      [
        "    requests: registry.counter('istio_cni_plugin_requests_total', 'Requests of plugins', ['response_code']),\n" +
          '    failed: () => {},\n    closed: () => {},\n',
        '',
      ],
    ],
  },
  {
    file: 'examples/istio-redirect/demo/ambient/mesh-agent.ts',
    now: '`backendFile`',
    edits: [['backEndFile:', 'backendFile:']],
  },
]

/**
 * Writes the examples of release 0.1.0, changed as `docs/migrate-to-0.2.md` says.
 *
 * @returns number of files; `undefined` if this clone lacks the release
 * @throws {Stop} if a change or a removed name has no row in the migration page, or a change has no effect
 */
export async function writeOldExamples(folder: string): Promise<number | undefined> {
  const found = await findCommit(undefined)
  if ('missing' in found) return undefined
  const git = (...argv: string[]) => exec(['git', ...argv], { quiet: true })
  const rows = migrationRows()
  await checkRows(found.commit, rows)
  const moved = movedNames(rows)
  const all = await git('ls-tree', '-r', '--name-only', found.commit, 'examples', 'docs/examples')
  const files = all
    .split('\n')
    .filter((file) => /\.ts$/.test(file) && !/\.test\.ts$|\/tsup\.config\.ts$|\/test\//.test(file))
  for (const file of files) {
    let text = await git('show', `${found.commit}:${file}`)
    for (const { now, edits } of BY_HAND.filter((edit) => edit.file === file)) {
      if (!rows.some((row) => row.now.includes(now))) throw new Stop(`docs/migrate-to-0.2.md: no row says ${now}`)
      for (const [from, to] of edits) {
        if (!text.includes(from)) throw new Stop(`${file} of ${found.name}: ${JSON.stringify(from)} not found`)
        text = text.replaceAll(from, to)
      }
    }
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, moveImports(text, moved))
  }
  return files.length
}
