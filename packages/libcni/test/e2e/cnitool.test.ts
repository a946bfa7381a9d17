import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { netns } from '@cni/netns'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bridged, loopback, pointToPoint } from './conflists.ts'
import { missing, PLUGINS, type World, world } from './node-world.ts'

describe.runIf(missing === undefined)(
  `cnitool with the reference plugins${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    let w: World
    beforeEach(async () => {
      w = await world()
    })
    afterEach(() => w[Symbol.asyncDispose]())

    const write = (list: { name: string; cniVersion: string }) => w.files.write(`net.d/${list.name}.conflist`, list)
    const addresses = async (ifName: string) => {
      const links = (await w.ip(w.pod, 'address', 'show', 'dev', ifName)) as Array<{
        addr_info: Array<{ local: string }>
      }>
      return links.flatMap((link) => link.addr_info.map(({ local }) => local))
    }
    const leases = () => readdirSync(`${w.files.dir}/leases/bridged`).filter((name) => /^[\da-f.:]+$/.test(name))
    const cached = () => (existsSync(`${w.files.dir}/cache/results`) ? readdirSync(`${w.files.dir}/cache/results`) : [])

    test('bridge and host-local: add, check, drift, del, and a second del', async () => {
      write(bridged(`${w.files.dir}/leases`, [{ type: 'tuning', sysctl: { 'net.ipv4.conf.all.log_martians': '1' } }]))
      const added = await w.cnitool(['add', 'bridged', w.pod.path])
      expect(added).toMatchObject({ exitCode: 0, stderr: '' })
      const result = JSON.parse(added.stdout)
      expect(result).toMatchObject({
        cniVersion: '1.0.0',
        interfaces: [{ name: 'cni-e2e0' }, {}, { name: 'eth0', sandbox: w.pod.path }],
        ips: [{ address: '10.123.0.2/24', gateway: '10.123.0.1', interface: 2 }, { address: 'fd00:123::2/64' }],
      })
      expect(await addresses('eth0')).toEqual(expect.arrayContaining(['10.123.0.2', 'fd00:123::2']))
      expect(leases()).toHaveLength(2)
      expect(cached()).toHaveLength(1)

      expect(await w.cnitool(['check', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0, stdout: '' })
      await netns.exec(w.pod, ['ip', 'address', 'del', '10.123.0.2/24', 'dev', 'eth0'])
      const drifted = await w.cnitool(['check', 'bridged', w.pod.path, '--json'])
      expect(drifted.exitCode).toBe(1)
      expect(JSON.parse(drifted.stdout).msg).toContain('10.123.0.2')

      expect(await w.cnitool(['del', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0, stdout: '' })
      expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
      expect(leases()).toEqual([])
      expect(cached()).toEqual([])
      expect(await w.cnitool(['del', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0 })
    })

    test('ptp and static, with another interface name', async () => {
      write(pointToPoint)
      const added = await w.cnitool(['add', '-i', 'net1', 'ptp', w.pod.path])
      expect(added).toMatchObject({ exitCode: 0, stderr: '' })
      expect(await addresses('net1')).toContain('10.124.0.2')
      expect(await w.cnitool(['check', '-i', 'net1', 'ptp', w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(await w.cnitool(['del', '-i', 'net1', 'ptp', w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
    })

    test('loopback', async () => {
      const file = w.files.write('lo.conflist', loopback)
      await netns.exec(w.pod, ['ip', 'link', 'set', 'lo', 'down'])
      const added = await w.cnitool(['add', '--conf', file, w.pod.path])
      expect(JSON.parse(added.stdout)).toMatchObject({ ips: [{ address: '127.0.0.1/8' }, { address: '::1/128' }] })
      expect(await w.cnitool(['check', '--conf', file, w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(await w.cnitool(['del', '--conf', file, w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(await w.ip(w.pod, 'link', 'show', 'dev', 'lo')).toMatchObject([
        { flags: expect.not.arrayContaining(['UP']) },
      ])
    })

    test('del releases the addresses if the namespace is gone', async () => {
      write(bridged(`${w.files.dir}/leases`))
      expect(await w.cnitool(['add', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0 })
      await w.pod[Symbol.asyncDispose]()
      expect(existsSync(w.pod.path)).toBe(false)
      expect(await w.cnitool(['del', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(leases()).toEqual([])
    })

    test('a failed add keeps its changes and explains how to undo them, and del undoes them', async () => {
      write(bridged(`${w.files.dir}/leases`, [{ type: 'tuning', sysctl: { 'net.ipv4.conf.gone.forwarding': '1' } }]))
      const added = await w.cnitool(['add', 'bridged', w.pod.path])
      expect(added.exitCode).toBe(1)
      expect(added.stderr).toMatch(/^Error: plugin type="tuning" failed \(add\): /)
      expect(added.stderr).toContain(`undo them with: cnitool del bridged ${w.pod.path}`)
      expect(leases()).toHaveLength(2)
      expect(cached()).toEqual([])
      expect(await w.cnitool(['del', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
      expect(leases()).toEqual([])
    })

    test('gc removes the attachments of a crashed runtime', async () => {
      write(bridged(`${w.files.dir}/leases`))
      await w.cnitool(['add', 'bridged', w.pod.path])
      await w.cnitool(['add', '-i', 'eth1', 'bridged', w.pod.path])
      expect(cached()).toHaveLength(2)
      expect(await w.cnitool(['gc', 'bridged'])).toMatchObject({ exitCode: 0, stdout: '' })
      expect(await w.ip(w.pod, 'link', 'show')).toMatchObject([{ ifname: 'lo' }])
      expect(leases()).toEqual([])
      expect(cached()).toEqual([])
    })

    test('validate and version call the real plugins', async () => {
      write({ ...bridged(`${w.files.dir}/leases`), cniVersion: '1.1.0' })
      expect(await w.cnitool(['version', 'bridge'])).toMatchObject({
        exitCode: 0,
        stdout: /^bridge: 0\.1\.0 .*1\.0\.0\n$/,
      })
      const { exitCode, stderr } = await w.cnitool(['validate', 'bridged'])
      expect(exitCode).toBe(1)
      expect(stderr).toContain('plugin bridge does not support config version "1.1.0"')
    })

    test('a signal ends the plugins with cnitool, and del removes their changes', async () => {
      const started = `${w.files.dir}/started`
      w.files.write(
        'bin/stuck',
        `#!/bin/sh\n[ "$CNI_COMMAND" = ADD ] || exit 0\necho $$ >"${started}"\nexec sleep 60\n`,
      )
      chmodSync(`${w.files.dir}/bin/stuck`, 0o755)
      write(bridged(`${w.files.dir}/leases`, [{ type: 'stuck' }]))
      const env = { CNI_PATH: `${PLUGINS}:${w.files.dir}/bin` }
      const add = w.cnitool(['add', 'bridged', w.pod.path], { ...env, CNI_ARGS: '' })
      await expect
        .poll(() => existsSync(started) && readFileSync(started, 'utf8') !== '', { timeout: 10_000 })
        .toBe(true)
      const plugin = Number(readFileSync(started, 'utf8'))
      const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${plugin}/status`, 'utf8'))?.[1]
      process.kill(Number(parent), 'SIGTERM')
      expect(await add).toMatchObject({ exitCode: 143, stderr: expect.stringContaining('cnitool received SIGTERM') })
      await expect.poll(() => existsSync(`/proc/${plugin}`), { timeout: 3000 }).toBe(false)
      expect(await w.cnitool(['del', 'bridged', w.pod.path], env)).toMatchObject({ exitCode: 0 })
      expect(leases()).toEqual([])
    })

    test('a truncated cache file does not stop a del', async () => {
      write(bridged(`${w.files.dir}/leases`))
      await w.cnitool(['add', 'bridged', w.pod.path])
      const [file] = cached()
      writeFileSync(`${w.files.dir}/cache/results/${file}`, '')
      const checked = await w.cnitool(['check', 'bridged', w.pod.path])
      expect(checked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('not a cache file: it is empty') })
      expect(await w.cnitool(['del', 'bridged', w.pod.path])).toMatchObject({ exitCode: 0 })
      expect(leases()).toEqual([])
    })
  },
)
