// npm run conformance [-- NAME...]: tests Debian's plugins and ours with cni-conformance. Needs root.
import { readFileSync, writeFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { conformance } from '@cni/conformance'
import { subjects } from './lib/conformance-subjects.ts'
import { conformancePage, type Row } from './lib/conformance-table.ts'
import { ensurePackages } from './lib/debian.ts'
import { exec, root } from './lib/exec.ts'
import { buildExecutables } from './lib/executables.ts'
import { main, Stop, step } from './lib/progress.ts'

await main(async () => {
  if (process.getuid?.() !== 0)
    throw new Stop('cni-conformance needs root: it makes network namespaces. Run: sudo npm run conformance')
  const wanted = process.argv.slice(2)
  await ensurePackages(['containernetworking-plugins', 'iptables', 'nftables', 'iproute2'], { install: true })
  await buildExecutables(['istio-cni', 'hello-chain', 'pod-firewall', 'ptp-routed'])
  const listed = await exec(['dpkg-query', '-W', 'containernetworking-plugins'], { quiet: true })
  const [, debian = ''] = listed.trim().split(/\s+/)
  const { version }: { version: string } = JSON.parse(
    readFileSync(join(root, 'packages/istio-redirect/package.json'), 'utf8'),
  )
  const origins = { debian: `Debian ${debian}`, ours: `cni-ts ${version}` }
  const rows: Row[] = []
  for (const { name, from, kind, open } of subjects) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    const row = { name, origin: origins[from], kind }
    await step(`cni-conformance ${name}`, async () => {
      await using opened = await open()
      const report = await conformance({ ...opened.options, chained: kind === 'chained' })
      rows.push({ ...row, report })
      return { note: `${report.verdict}, ${report.executions} executions` }
    }).catch((error: unknown) => {
      rows.push({ ...row, report: { problem: error instanceof Error ? error.message : String(error) } })
    })
  }
  const date = new Date().toISOString().slice(0, 10)
  if (wanted.length === 0)
    writeFileSync(
      join(root, 'docs/conformance.md'),
      conformancePage(rows, { date, kernel: release().split('-')[0] ?? '' }),
    )
  else process.stdout.write(conformancePage(rows, { date, kernel: release().split('-')[0] ?? '' }))
})
