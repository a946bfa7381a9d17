import { REPORT_SIZE, readReport } from '../../src/tls/report.ts'

/** Main function of a test program: parses random TLS reports, as from a compromised child process. */
export default function main(): void {
  let state = 1
  const draw = (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
  const lead = [0x30, 0x31, 0x06, 0x13, 0x1e, 0x80, 0x81, 0x82, 0x84, 0xff, 0, 1, 2, 3, 12, 40]
  const rounds = Number(process.argv[2])
  let taken = 0
  for (let round = 0; round < rounds; round++) {
    const bytes = Uint8Array.from({ length: REPORT_SIZE + draw(3) - 1 }, () => lead[draw(32)] ?? draw(256))
    // Changes random bytes to an almost valid report of the TLS child process.
    if (draw(4) > 0) bytes.set([draw(10), 0, 0, 0])
    if (draw(4) > 0) bytes.set([draw(40), draw(3), draw(40), draw(3)], 20)
    const report = readReport(bytes)
    if (report === undefined) continue
    taken += 1
    if (report.subject.length + report.issuer.length > 4 * REPORT_SIZE) throw new Error('a name is too long')
  }
  process.stdout.write(`${taken > rounds / 4 && taken < rounds}\n`)
}
