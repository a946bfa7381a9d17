import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { reportLine } from './report.ts'

/** Test reporter in the virtual machine. It prints one marked line for each test file. */
export class VmReporter implements Reporter {
  onTestModuleEnd(module: TestModule): void {
    const tests = [...module.children.allTests()]
    const count = (state: string) => tests.filter((test) => test.result().state === state).length
    const failed = count('failed')
    process.stdout.write(
      reportLine({
        file: module.relativeModuleId,
        passed: count('passed'),
        // A test file that cannot be loaded has no tests and counts as failed.
        failed: failed === 0 && !module.ok() ? 1 : failed,
        errors: [...module.errors().map(({ message }) => firstLine(message)), ...tests.flatMap(errors)],
        skipped: tests.flatMap(skipped),
        seconds: module.diagnostic().duration / 1000,
      }),
    )
  }
}

function skipped(test: TestCase): string[] {
  const result = test.result()
  if (result.state !== 'skipped') return []
  return [result.note === undefined ? test.fullName : `${test.fullName}: ${result.note}`]
}

const errors = (test: TestCase) =>
  (test.result().errors ?? []).map(({ message }) => `${test.fullName}: ${firstLine(message)}`)

const firstLine = (message: string) => message.split('\n', 1).join()
