package dev.rota.benchmarks.rounds;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * A recorded benchmark in rounds, as its file holds it.
 *
 * @param command the arguments of the command
 * @param commits the git commit of each jar, where known
 * @param machine cores, memory, system and JDK
 * @param server version and settings of the server
 * @param turns every shot
 */
record Recording(
    String command,
    Map<String, String> commits,
    Map<String, String> machine,
    Map<String, String> server,
    List<Turn> turns) {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  static Recording read(Path file) throws IOException {
    return MAPPER.readValue(file.toFile(), Recording.class);
  }

  void write(Path file) throws IOException {
    Files.writeString(file, MAPPER.writeValueAsString(this) + "\n");
  }
}
