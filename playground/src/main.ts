import { answer } from './model/answer.ts'
import { startPage } from './view/page.ts'

// The same script runs in the page and as the page's web worker.
if (typeof document === 'undefined') {
  globalThis.addEventListener('message', ({ data: { id, question } }) => {
    globalThis.postMessage({ id })
    void answer(question).then((found) => globalThis.postMessage({ id, answer: found }))
  })
} else {
  startPage(document.currentScript?.textContent ?? '')
}
