// CNI_KUBERNETES=cluster.sh npm run test:cluster [-- FILES] [--minimal] [--no-install]: tests the Helm chart and the
// image on a real Kubernetes cluster. Needs root and helm.
// cluster.sh is called with up, down, exec CMD, kubectl ARGS, load TAR or svc ACTION NAME.
// K8S_DIR: folder for the cluster's files. Its subfolder root/ has the node's files.
// --minimal: uses the image without Debian programs.
// CNI_CHURN_SECONDS (default 300): number of seconds in which pods start and stop.
// CNI_PEERS: folder with Istio's programs. The test also migrates from Istio's chart and back.
// CNI_SANDBOX_PODS=60: also compares the start times of pods with Istio's plugin and ours.
import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePackages, TEST_PACKAGES } from './lib/debian.ts'
import { exec, node26, root } from './lib/exec.ts'
import { findHelm } from './lib/helm.ts'
import { main, Stop, say, step } from './lib/progress.ts'

const CHART = join(root, 'packages/istio-redirect/deploy/chart')

await main(async () => {
  const script = process.env.CNI_KUBERNETES
  const helm = findHelm()
  if (!script) return say('skipped: test:cluster, because CNI_KUBERNETES does not name a script that makes a cluster')
  if (helm === undefined) return say('skipped: test:cluster, because there is no helm in CNI_PEERS or PATH')
  if (process.getuid?.() !== 0) throw new Stop('these tests need root: they start a cluster')
  const install = !process.argv.includes('--no-install')
  await ensurePackages([...TEST_PACKAGES, 'etcd-server', 'containerd', 'runc'], { install })
  const flavour = process.argv.includes('--minimal') ? 'minimal' : 'full'
  const variant = flavour === 'minimal' ? flavour : ''
  const out = join(root, 'dist/image')
  await exec([
    node26,
    'scripts/image.ts',
    '--platform=linux/amd64',
    `--flavour=${flavour}`,
    '--name=localhost/install-cni:cluster',
    `--out=${out}`,
  ])
  // Creates a parent folder: the cluster's script may also write files beside the subfolder `node`.
  const scratch = mkdtempSync(join(tmpdir(), 'cni-cluster-'))
  const K8S_DIR = join(scratch, 'node')
  const cluster = (...args: string[]) => exec([script, ...args], { quiet: true, env: { K8S_DIR } })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      spawnSync(script, ['down'], { env: { ...process.env, K8S_DIR }, stdio: 'ignore' })
      rmSync(scratch, { recursive: true, force: true })
      process.exit(1)
    })
  }
  try {
    await step('a cluster', () => cluster('up'))
    await step('the image', () => cluster('load', join(out, `install-cni${variant && '-minimal'}.tar`)))
    const place = join(K8S_DIR, 'root/opt/test')
    mkdirSync(place, { recursive: true })
    copyFileSync(helm, join(place, 'helm'))
    cpSync(CHART, join(place, 'chart'), { recursive: true })
    const files = process.argv.slice(2).filter((name) => !name.startsWith('-'))
    await step('tests in it', () =>
      exec(['vitest', 'run', '--project=cluster', '--no-file-parallelism', ...files], {
        env: { K8S_DIR, CNI_IMAGE_VARIANT: variant },
        explains: true,
      }),
    )
  } finally {
    await step('the cluster is gone', () => cluster('down'))
    rmSync(scratch, { recursive: true })
  }
})
