import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { netns, openRtnl } from '@cni/netns'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { conformance } from '../src/conformance.ts'
import type { Report } from '../src/model.ts'

const PLUGINS = '/usr/lib/cni'
/** Folder of host-local's leases. It does not exist on a new machine. */
const LEASES = '/var/lib/cni'
const runs = process.getuid?.() === 0 && existsSync(`${PLUGINS}/bridge`)

const outcome = (report: Report, id: string) => report.results.find((result) => result.id === id)?.outcome
const failed = ({ results }: Report) =>
  results.flatMap(({ id, outcome }) => (outcome.status === 'fail' ? [id] : [])).sort()

describe.runIf(runs)("Debian's reference plugins", () => {
  test('loopback conforms; like every Go plugin, its errors have no cniVersion', async () => {
    const report = await conformance({ plugin: `${PLUGINS}/loopback` })
    expect(report.conforms).toBe(true)
    expect(failed(report)).toEqual(['errors.members'])
    expect(outcome(report, 'check.tampered')).toEqual({ status: 'pass' })
  }, 120_000)

  test('bridge conforms except for CHECK, which ignores its masquerading', async () => {
    const conf = {
      bridge: 'cni-conf0',
      isGateway: true,
      ipMasq: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: '10.77.0.0/16' }]] },
    }
    const report = await conformance({ plugin: `${PLUGINS}/bridge`, conf, skip: ['signals', 'concurrency'] })
    expect(failed(report)).toEqual(['check.tampered', 'errors.members'])
    expect(outcome(report, 'check.tampered')).toMatchObject({
      findings: [{ summary: expect.stringContaining('flushed the nftables ruleset on the node: accepted') }],
    })
  }, 120_000)

  test('tuning loses unknown members and keeps its sysctls', async () => {
    const conf = { sysctl: { 'net.ipv4.conf.eth0.log_martians': '1' } }
    const only = ['results', 'isolation', 'check']
    const report = await conformance({ plugin: `${PLUGINS}/tuning`, conf, chained: true, only })
    expect(report.conforms).toBe(true)
    expect(failed(report)).toEqual(['isolation.pod', 'prev-result.unknown'])
  }, 120_000)
})

describe.runIf(runs)('the machine', () => {
  // A folder of its own: other suites use the machine's at the same time.
  let temporary: string
  beforeEach(() => {
    temporary = mkdtempSync(join(tmpdir(), 'cni-stays-'))
    vi.stubEnv('TMPDIR', temporary)
  })
  afterEach(() => {
    vi.unstubAllEnvs()
    rmSync(temporary, { recursive: true })
  })

  test('stays unchanged', async () => {
    const look = async () => {
      using rtnl = await openRtnl(netns.current())
      return {
        links: (await rtnl.getLinks()).map(({ name }) => name).sort(),
        leases: existsSync(LEASES) && readdirSync(LEASES, { recursive: true }).sort(),
        folders: readdirSync(temporary),
      }
    }
    const before = await look()
    const conf = { ipMasq: true, ipam: { type: 'host-local', subnet: '10.78.0.0/16' } }
    await conformance({ plugin: `${PLUGINS}/ptp`, conf, only: ['isolation', 'concurrency.pods'] })
    expect(await look()).toEqual(before)
  }, 120_000)
})
