// Leave fields without a value out of the addresses that forms lead to: /tools/?q=weather, not /tools/?q=weather&sort=.

document.addEventListener("formdata", ({ target, formData }) => {
  if (target.method !== "get") return;
  for (const name of new Set(formData.keys())) {
    const values = formData.getAll(name).filter((value) => value !== "");
    formData.delete(name);
    for (const value of values) formData.append(name, value);
  }
});
