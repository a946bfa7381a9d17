// npm run manifests -- --image REF [--namespace NAME] [--set KEY=VALUE]...: renders the Helm chart as plain manifests.
// Needs helm in PATH or CNI_PEERS.
// npm run manifests -- --record: updates packages/istio-redirect/deploy/manifests, which npm test compares with the
// chart.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exec, root } from './lib/exec.ts'
import { findHelm } from './lib/helm.ts'
import { parsed } from './lib/options.ts'
import { main, Stop, step } from './lib/progress.ts'
import { RECORDED, RECORDED_IMAGE, recordedHeading } from './lib/recorded-manifests.ts'

const chart = join(root, 'packages/istio-redirect/deploy/chart')

await main(async () => {
  const { image, namespace, set, record } = options()
  const helm = findHelm()
  if (helm === undefined) throw new Stop('helm is neither on the PATH nor in CNI_PEERS: it renders the manifests')
  const folder = record ? 'packages/istio-redirect/deploy/manifests' : 'dist/manifests'
  mkdirSync(join(root, folder), { recursive: true })
  for (const profile of record ? RECORDED : ['default', ...profiles()]) {
    await step(`${folder}/${profile}.yaml`, async () => {
      const values = [`image=${image}`, ...(profile === 'default' ? [] : [`profile=${profile}`]), ...set]
      const args = values.flatMap((value) => ['--set', value])
      // fixed namespace and Kubernetes version, so that every machine renders the same manifests
      const fixed = ['--namespace', namespace, '--kube-version', 'v1.35.0', '--no-hooks']
      const text = await exec([helm, 'template', 'istio-cni', chart, ...fixed, ...args], { quiet: true })
      const heading = record ? `${recordedHeading(chart)}\n` : ''
      writeFileSync(join(root, folder, `${profile}.yaml`), heading + text)
    })
  }
})

function options() {
  const { values } = parsed({
    options: {
      image: { type: 'string' },
      namespace: { type: 'string', default: 'istio-system' },
      set: { type: 'string', multiple: true, default: [] },
      record: { type: 'boolean', default: false },
    },
  })
  const { image = values.record ? RECORDED_IMAGE : undefined } = values
  if (image === undefined) throw new Stop('which image is to run? --image registry.example/install-cni:1', 2)
  return { ...values, image }
}

/** Names of the chart's profiles. Users select compatibility profiles by a value instead. */
function profiles(): string[] {
  return readdirSync(join(chart, 'files'))
    .flatMap((name) => /^profile-(.*)\.yaml$/.exec(name)?.[1] ?? [])
    .filter((name) => !name.startsWith('compatibility-'))
}
