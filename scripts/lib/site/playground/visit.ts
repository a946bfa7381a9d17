import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { writePlayground } from '../../../../playground/build.ts'
import { root } from '../../exec.ts'
import { step } from '../../progress.ts'
import { checkViews } from './accessible.ts'
import { compareWithCommand } from './same-as-command.ts'
import { measure, playStories } from './stories.ts'

/** Tests the playground page in a browser, opened from a file without a server. */
export async function visitPlayground(program: string, pictures: string) {
  mkdirSync(pictures, { recursive: true })
  const file = join(root, 'dist/playground.html')
  await writePlayground(file)
  await using browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
  await step('playground: size and first paint', () => measure(browser, file))
  for (const { title, run } of playStories(browser, file, pictures)) await step(`playground: ${title}`, run)
  await step('playground: wide, dark, narrow; names, contrast', () => checkViews(browser, file, pictures))
  await step('playground: the same as istio-redirect', () => compareWithCommand(browser, file))
}
