import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { deployFiles } from '../../../packages/create-cni-plugin/src/deploy-files.ts'
import { type Manifest, manifestsOf, rendered } from '../../../packages/istio-redirect/test/chart/manifest.ts'
import { suiteServer } from './chart-agent.ts'
import { modes } from './chart-modes.ts'
import { missing } from './missing-programs.ts'
import { pathOf, send } from './requests.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const profiles = ['k3s', 'k3d', 'microk8s', 'minikube', 'gke', 'openshift', 'ambient']

/** Values that enable all objects of the chart and all their parts. */
const EVERYTHING = {
  configFromVolume: true,
  networkPolicy: { enabled: true },
  resourceQuotas: { enabled: true },
  podMonitor: { enabled: true },
  cleanUp: { nodes: ['n1'] },
  imagePullSecrets: ['pull'],
  seLinuxOptions: { type: 'spc_t' },
  resources: { limits: { memory: '64Mi' } },
  podLabels: { a: 'b' },
  podAnnotations: { a: 'b' },
  env: { FORCE_IPTABLES_BINARY: 'nft' },
}

/** Kinds that a cluster has only after an installation of their definitions. */
const BROUGHT = ['PodMonitor', 'NetworkAttachmentDefinition']

const files = globSync(['packages/istio-redirect/deploy/manifests/*.yaml', 'docs/examples/installer/*.yaml'], {
  cwd: root,
})

describe.runIf(missing === undefined)(
  `a real API server finds no fault${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const server = suiteServer()

    /** Validates the objects strictly at the API server: unknown and repeated members are faults. Creates nothing. */
    async function check(objects: readonly Manifest[]): Promise<void> {
      const known = objects.filter(({ kind }) => !BROUGHT.includes(kind))
      expect(known.length).toBeGreaterThan(0)
      for (const document of known) {
        await send(server(), 'POST', `${pathOf(document)}?dryRun=All&fieldValidation=Strict`, document)
      }
    }

    test.for([
      ...Object.entries(modes),
      ...profiles.map((profile): [string, object] => [`profile ${profile}`, { profile }]),
      ['everything', EVERYTHING] as [string, object],
    ])('with the chart: %s', ([, values]) => check(rendered({ image: 'h/install-cni:1', ...values })))

    test.for(files)('with %s', (file) => check(manifestsOf(readFileSync(join(root, file), 'utf8'))))

    test.for(['chained', 'thick'] as const)('with what npm create cni-plugin writes: %s', async (kind) => {
      const written = deployFiles({ name: 'my-plugin', kind, rules: 'iptables', agent: kind === 'chained' })
      await check(manifestsOf(written.get('deploy/daemonset.yaml') ?? ''))
    })
  },
)
