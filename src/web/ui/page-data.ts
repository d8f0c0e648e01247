/** The data that the server has embedded in the page. */
export function pageData<T>(): T {
  const element = document.getElementById('page-data');
  return JSON.parse(element?.textContent ?? 'null') as T;
}
