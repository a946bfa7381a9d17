import { answer } from './model/answer.ts'
import { startPage } from './view/page.ts'

// Starts the playground. The same script runs in the page and as a web worker, which computes the answers for the page.
if (typeof document === 'undefined') {
  globalThis.addEventListener('message', ({ data: { id, question } }) => {
    globalThis.postMessage({ id })
    void answer(question).then((found) => globalThis.postMessage({ id, answer: found }))
  })
} else {
  startPage(document.currentScript?.textContent ?? '')
}
