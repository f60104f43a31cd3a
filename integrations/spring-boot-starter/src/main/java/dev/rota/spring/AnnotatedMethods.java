package dev.rota.spring;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.StringUtils;

/**
 * Finds the annotated methods of all beans once the beans are there, so that a mistake in one ends
 * the start of the application.
 */
final class AnnotatedMethods implements SmartInitializingSingleton {

  private final ConfigurableListableBeanFactory beans;
  private final String systemTenant;
  private final List<AnnotatedHandler> handlers = new ArrayList<>();
  private final List<AnnotatedSchedule> schedules = new ArrayList<>();

  AnnotatedMethods(ConfigurableListableBeanFactory beans, String systemTenant) {
    this.beans = beans;
    this.systemTenant = systemTenant;
  }

  List<AnnotatedHandler> handlers() {
    return List.copyOf(handlers);
  }

  List<AnnotatedSchedule> schedules() {
    return List.copyOf(schedules);
  }

  @Override
  public void afterSingletonsInstantiated() {
    for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
      if (!ScopedProxyUtils.isScopedTarget(name)) {
        look(name);
      }
    }
    refuseRepeatedKinds();
  }

  private void look(String name) {
    Class<?> type = AutoProxyUtils.determineTargetClass(beans, name);
    if (type == null || !mayBeAnnotated(type)) {
      return;
    }
    Class<?> user = ScopedObject.class.isAssignableFrom(type) ? type.getSuperclass() : type;
    each(user, RotaHandler.class, (method, mark) -> add(method(name, method), mark));
    each(user, RotaSchedule.class, (method, mark) -> add(method(name, method), mark));
  }

  private static boolean mayBeAnnotated(Class<?> type) {
    return AnnotationUtils.isCandidateClass(type, List.of(RotaHandler.class, RotaSchedule.class));
  }

  private static <A extends Annotation> void each(
      Class<?> type, Class<A> annotation, BiConsumer<Method, A> then) {
    MethodIntrospector.selectMethods(
            type,
            (MethodIntrospector.MetadataLookup<A>)
                method -> AnnotatedElementUtils.findMergedAnnotation(method, annotation))
        .forEach(then);
  }

  private TaskInvocation method(String name, Method method) {
    Object bean = beans.getBean(name);
    return new TaskInvocation(bean, AopUtils.selectInvocableMethod(method, bean.getClass()));
  }

  private void add(TaskInvocation invocation, RotaHandler mark) {
    List<String> formerly = Stream.of(mark.formerly()).map(this::resolved).toList();
    handlers.add(new AnnotatedHandler(resolved(mark.value()), formerly, invocation));
  }

  private void add(TaskInvocation invocation, RotaSchedule mark) {
    AnnotatedSchedule schedule =
        AnnotatedSchedule.of(mark, invocation.toString(), this::resolved, systemTenant);
    schedules.add(schedule);
    handlers.add(new AnnotatedHandler(schedule.kind(), List.of(), invocation));
  }

  private String resolved(String text) {
    return StringUtils.hasText(text)
        ? String.valueOf(beans.resolveEmbeddedValue(text)).strip()
        : text;
  }

  private void refuseRepeatedKinds() {
    Map<String, TaskInvocation> first = new HashMap<>();
    for (AnnotatedHandler handler : handlers) {
      handler.names().forEach(kind -> refuseSecond(first, kind, handler.invocation()));
    }
  }

  private static void refuseSecond(
      Map<String, TaskInvocation> first, String kind, TaskInvocation invocation) {
    TaskInvocation before = first.putIfAbsent(kind, invocation);
    if (before != null) {
      throw new InvalidHandlerException(
          "The kind '%s' has two handlers: %s and %s".formatted(kind, before, invocation),
          "Give each kind one method. Name another kind in one of the annotations, or remove it.");
    }
  }
}
