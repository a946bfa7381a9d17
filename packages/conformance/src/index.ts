/**
 * Checks any CNI plugin, in any language, against the specification, in throw-away namespaces.
 *
 * @example
 * ```ts
 * import { conformance, renderText } from '@cni/conformance'
 *
 * const report = await conformance({ plugin: '/opt/cni/bin/my-plugin', chained: true, conf: { port: 15001 } })
 * process.stdout.write(renderText(report))
 * process.exitCode = report.conforms ? 0 : 1
 * ```
 *
 * @module
 */

export { checks } from './checks.ts'
// cni-conformance
export { type CliIo, runConformance } from './cli/run-conformance.ts'
export { conformance } from './conformance.ts'
// Errors
export { ConformanceError, isConformanceError } from './errors.ts'
export type { Exchange } from './exchange/exchange.ts'
export type { CheckOutcome, CheckResult, Finding, Report } from './model.ts'
export type { ConformanceOptions } from './options/options.ts'
// Reports
export { renderJson } from './report/json.ts'
export { renderJunit } from './report/junit.ts'
export { renderText } from './report/text.ts'
