//! `desk-codegen DIR`: writes the TypeScript of the desk's contract with its screens.

fn main() -> anyhow::Result<()> {
    let dir = std::env::args_os()
        .nth(1)
        .ok_or_else(|| anyhow::anyhow!("say where: desk-codegen ui/src/generated"))?;
    desk::rpc::codegen::write_typescript(std::path::Path::new(&dir))
}
