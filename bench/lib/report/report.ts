import { readFileSync } from 'node:fs'
import * as z from 'zod/mini'

/** Schema of a measured value. `null` in JSON means that the event never happened, and becomes NaN. */
const number = z.pipe(
  z.nullable(z.number()),
  z.transform((value) => value ?? Number.NaN),
)
const ratio = z.object({
  to: z.string(),
  value: z.number(),
  low: z.exactOptional(z.number()),
  high: z.exactOptional(z.number()),
})
const measure = z.object({
  group: z.string(),
  name: z.string(),
  quantity: z.string(),
  runs: z.number(),
  median: number,
  min: number,
  max: number,
  ratios: z.array(ratio),
})
const suite = z.object({
  about: z.string(),
  date: z.string(),
  /** Git commit of the measured code. Absent if the folder was not a clone. */
  commit: z.exactOptional(z.string()),
  /** Load average of the machine over one minute, at the start of the suite. */
  load: z.number(),
  settings: z.record(z.string(), z.number()),
  measures: z.array(measure),
})
const report = z.object({
  format: z.literal(1),
  machine: z.object({ cpu: z.string(), cores: z.number(), kernel: z.string() }),
  versions: z.record(z.string(), z.string()),
  /** Names of the original programs, such as Istio's, that the benchmark has found and measured. */
  peers: z.array(z.string()),
  suites: z.record(z.string(), suite),
})

export type Measure = z.output<typeof measure>
export type Suite = z.output<typeof suite>
export type Report = z.output<typeof report>

/** Reads a benchmark report, or the stored baseline, from a file. */
export function readReport(file: string): Report {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    throw new ReportError(`${file} cannot be read: ${said(cause)}`, { cause })
  }
  return readReportText(text, file)
}

/** Parses the text of a benchmark report. Error messages contain the name `file`. */
export function readReportText(text: string, file: string): Report {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new ReportError(`${file} cannot be read: ${said(cause)}`, { cause })
  }
  const parsed = report.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new ReportError(`${file} is no report of npm run bench: ${issue?.path.join('.')}: ${issue?.message}`)
}

function said(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Parses the results of one suite, as the suite's process has written them in JSON. */
export function parseSuite(text: string): Suite {
  return suite.parse(JSON.parse(text))
}

/** Formats a report with one value per line, so that diffs stay short. */
export function reportText(value: Report): string {
  const suites = Object.entries(value.suites).map(([name, { measures, ...rest }]) => {
    const head = JSON.stringify(rest).slice(1, -1)
    const rows = measures.map((one) => `   ${JSON.stringify(rounded(one))}`).join(',\n')
    return `  ${JSON.stringify(name)}: {${head}, "measures": [\n${rows}\n  ]}`
  })
  const { suites: _, ...head } = value
  const lines = Object.entries(head).map(([key, one]) => ` ${JSON.stringify(key)}: ${JSON.stringify(one)},`)
  return `{\n${lines.join('\n')}\n "suites": {\n${suites.join(',\n')}\n }\n}\n`
}

/** Rounds a number of the report to four digits. Measurements on any machine are less exact. */
function rounded(one: Measure): Measure {
  const short = (value: number): number => (Number.isFinite(value) ? Number(value.toPrecision(4)) : value)
  const numbers = <T extends object>(value: T): T =>
    Object.fromEntries(
      Object.entries(value).map(([key, field]) => [key, typeof field === 'number' ? short(field) : field]),
    ) as T
  return { ...numbers(one), ratios: one.ratios.map(numbers) }
}

/** Error: a report file is missing or invalid. The message is for the user. */
export class ReportError extends Error {}
