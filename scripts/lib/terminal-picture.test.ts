import { expect, it } from 'vitest'
import { terminalPicture } from './terminal-picture.ts'

it('shows every line with coloured marks, and escapes markup', () => {
  const svg = terminalPicture('$ npm run demo\n   ✓ <b>done</b> & gone\n   ✗ not\n', { title: 'a "demo"' })
  expect(svg.match(/<text /g)).toHaveLength(3)
  expect(svg).toContain('<tspan class="good">   ✓ </tspan>&lt;b&gt;done&lt;/b&gt; &amp; gone')
  expect(svg).toContain('<tspan class="bad">   ✗ </tspan>not')
  expect(svg).toContain('aria-label="a &quot;demo&quot;"')
})

it('clips lines at the width of the terminal', () => {
  expect(terminalPicture('0123456789', { title: 't', columns: 5 })).toContain('>0123…<')
})
