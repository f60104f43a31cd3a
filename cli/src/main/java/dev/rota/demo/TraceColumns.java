package dev.rota.demo;

import java.util.List;
import java.util.Locale;

/** The positions of the fields that the demo reads. Other fields may have any content. */
record TraceColumns(int number, Keys keys, int instances, int status) {

  private static final String FAILED = "Failed";

  /**
   * What identifies a line.
   *
   * @param job the position of the job
   * @param task the position of the task
   */
  record Keys(int job, int task) {}

  /**
   * A line of a trace.
   *
   * @param job the job
   * @param task the task within the job
   * @param instances its number of tasks
   * @param fails whether they fail
   */
  record TraceRow(long job, long task, int instances, boolean fails) {}

  static TraceColumns of(List<String> header) {
    List<String> names =
        header.stream().map(name -> name.strip().toLowerCase(Locale.ROOT)).toList();
    return new TraceColumns(
        names.size(),
        new Keys(index(names, "job_id"), index(names, "task_id")),
        index(names, "number_of_instances"),
        index(names, "status"));
  }

  TraceRow row(List<String> fields, long line) {
    if (fields.size() != number) {
      throw new MalformedTraceException(
          line, "it has " + fields.size() + " fields, the header " + number);
    }
    return new TraceRow(
        number(fields.get(keys.job()), "job_id", Long.MAX_VALUE, line),
        number(fields.get(keys.task()), "task_id", Long.MAX_VALUE, line),
        (int) number(fields.get(instances), "number_of_instances", Integer.MAX_VALUE, line),
        fields.get(status).strip().equals(FAILED));
  }

  private static int index(List<String> names, String name) {
    int index = names.indexOf(name);
    if (index < 0) {
      throw new MalformedTraceException(1, "the header has no column " + name);
    }
    return index;
  }

  private static long number(String field, String column, long most, long line) {
    try {
      long number = Long.parseLong(field.strip());
      if (number >= 0 && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Falls through to the error for a number out of range.
    }
    throw new MalformedTraceException(
        line, column + " is '" + shortened(field) + "', not a number from 0 to " + most);
  }

  private static String shortened(String field) {
    return field.length() <= 40 ? field : field.substring(0, 40) + "...";
  }
}
