import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { playgroundHtml } from '../build.ts'

test('the page is one file of at most 250 kB compressed, and its policy forbids other sources', async () => {
  const html = await playgroundHtml()
  expect(gzipSync(html).length).toBeLessThan(250_000)
  expect(html).toMatch(
    /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+';/,
  )
  expect(html).not.toMatch(/\bsrc="|https?:\/\/(?!www\.w3\.org)[^"'\s]*\.(?:js|css)/)
  expect(html.match(/<script/g)).toHaveLength(1)
})
