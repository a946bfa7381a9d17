// boot.ts FOLDER LOG MINUTES: boots the emulated arm64 machine and starts its API server.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { meshPod } from '@cni/istio-redirect/testing'
import { createAuthority, kubeconfigText, startApiServer } from '@cni/kube/testing'
import { main, Stop, say, seconds } from '../progress.ts'
import { FAILED, LATE } from '../vm/exit-codes.ts'
import { initramfs } from '../vm/initramfs.ts'
import { testsInMachine } from '../vm/tests-in-machine.ts'
import { kernelIn } from './debian-files.ts'
import { qemuArm64 } from './qemu-arm64.ts'

/**
 * Address by which the emulated arm64 machine reaches the loopback address of the host machine. qemu provides this
 * address.
 */
const HOST = '10.0.2.2'

await main(async () => {
  const [folder = '', log = '', minutes = ''] = process.argv.slice(2)
  const files = join(folder, 'root')
  const authority = createAuthority('test-arm64')
  const certificate = authority.issue('kube-apiserver', [HOST])
  await using api = await startApiServer({ pods: [meshPod({ name: 'web', namespace: 'demo' })], certificate })
  const server = `https://${HOST}:${new URL(api.url).port}`
  const kubeconfig = kubeconfigText({ server, ca: authority.cert, token: api.token })
  writeFileSync(join(files, 'run/istio-cni/istio-cni-kubeconfig'), kubeconfig, { mode: 0o600 })

  const kernel = kernelIn(files)
  const initrd = join(folder, 'initramfs')
  const script = ['/machine.sh', String(Math.ceil(Date.now() / 1000))]
  writeFileSync(initrd, initramfs(kernel, { busybox: join(files, 'bin/busybox'), modules: '/lib/modules', script }))
  const started = performance.now()
  const machine = qemuArm64(kernel, { initrd, files, console: `${log}-kernel.log` })
  const outcome = await testsInMachine(machine, { log: `${log}.log`, minutes: Number(minutes), lateCode: LATE })
  const { version, files: lives, exitCode } = outcome
  if (version === undefined) throw new Stop(`the machine did not come up. What it said: ${log}-kernel.log`)
  const sum = (of: (life: (typeof lives)[number]) => number) => lives.reduce((all, each) => all + of(each), 0)
  const [passed, failed] = [sum((life) => life.passed), sum((life) => life.failed)]
  const asked = api.requests.length
  say(`  The API server was asked ${asked} times`)
  const took = seconds(performance.now() - started)
  process.stdout.write(
    `Linux ${version}: ${passed} passed, ${failed} failed in ${lives.length} lives of a pod, ${took}\n`,
  )
  if (exitCode === 0 && failed === 0 && passed > 0 && asked > 0) return
  const how = exitCode === undefined ? 'the machine went off before it was done' : 'not all of it is as it must be'
  throw new Stop(`${how}. What it said: ${log}.log, and the kernel: ${log}-kernel.log`, FAILED)
})
