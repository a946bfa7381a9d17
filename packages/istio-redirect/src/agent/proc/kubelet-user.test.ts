import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { isDiscoveryError } from './discovery-error.ts'
import { kubeletUser } from './kubelet-user.ts'

let proc: string
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'cni-proc-'))
})
afterEach(() => rmSync(proc, { recursive: true }))

function runs(pid: string, comm: string, argv: readonly string[], uid = 0): void {
  mkdirSync(join(proc, pid))
  writeFileSync(join(proc, pid, 'comm'), `${comm}\n`)
  writeFileSync(join(proc, pid, 'cmdline'), argv.map((each) => `${each}\0`).join(''))
  writeFileSync(join(proc, pid, 'status'), `Name:\t${comm}\nUid:\t${uid}\t7\t7\t7\nGid:\t8\t8\t8\t8\n`)
}

describe('the user of the kubelet', () => {
  test.each<[string, string, readonly string[]]>([
    ['kubelet', 'kubelet', ['/usr/bin/kubelet', '--config=/var/lib/kubelet/config.yaml']],
    ['MicroK8s', 'kubelite', ['/snap/microk8s/1/kubelite', '--Kubelet-args-file=/x']],
    ['k3s', 'k3s', ['/usr/local/bin/k3s', 'server']],
    ['a server of k3s', 'k3s-server', ['/usr/local/bin/k3s', 'server']],
    ['an agent of k3s', 'k3s-agent', ['/usr/local/bin/k3s', 'agent']],
  ])('is the user of the process of %s', async (_, comm, argv) => {
    runs('7', 'sshd', ['sshd'], 1)
    runs('20', comm, argv, 1001)
    expect(await kubeletUser(proc)).toBe(1001)
  })

  test('is unknown without a kubelet, and a process with its name alone does not count', async () => {
    runs('7', 'kubelet', ['/tmp/x'], 1)
    runs('8', 'kubelet-helper', ['kubelet'], 2)
    mkdirSync(join(proc, '9'))
    mkdirSync(join(proc, 'sys'))
    await expect(kubeletUser(proc)).rejects.toThrow(`none of the 3 processes in ${proc} is a kubelet`)
    await expect(kubeletUser(proc)).rejects.toSatisfy(isDiscoveryError)
  })
})
