package dev.rota.cli;

import dev.rota.cli.common.Secrets;
import dev.rota.cli.common.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/** Writes what a release has beside the command: its pages in AsciiDoc, and completion for bash. */
public final class CommandPages {

  private static final boolean[] QUIET = {};

  private CommandPages() {}

  /**
   * Writes the pages of all commands into a folder, and the completion into a file.
   *
   * @param args the folder, the file, and the version of the release
   * @throws IOException if one cannot be written
   */
  public static void main(String[] args) throws IOException {
    CommandLine command = RotaCommand.commandLine(Terminal.ofProcess(), new Secrets());
    name(command, "rota " + args[2]);
    Path pages = Files.createDirectories(Path.of(args[0]));
    int code =
        ManPageGenerator.generateManPage(
            pages.toFile(), null, QUIET, false, command.getCommandSpec());
    if (code != CommandLine.ExitCode.OK) {
      throw new IOException("cannot write the pages into " + pages + ": code " + code);
    }
    Files.writeString(Path.of(args[1]), AutoComplete.bash("rota", command));
  }

  private static void name(CommandLine command, String version) {
    command.getCommandSpec().versionProvider(() -> new String[] {version});
    command.getSubcommands().values().forEach(subcommand -> name(subcommand, version));
  }
}
